/** Something that an upgrade from one CustomResourceDefinition to another may break. */
export interface Incompatibility {
  /**
   * `breaking`: some stored object or some request that was good is not any more, or loses data.
   * `risky`: that depends on the objects, or something behaves differently for them.
   */
  readonly severity: "breaking" | "risky";
  /** The version whose objects are meant; absent for what concerns the definition as a whole. */
  readonly version?: string;
  /** A field of the object (`.spec.ports[].name`), or of the definition (`names.plural`, `subresources.scale`). */
  readonly path: string;
  /** A sentence for people. */
  readonly message: string;
}

/** Takes note of an incompatibility at a path. */
export type Note = (severity: Incompatibility["severity"], path: string, message: string) => void;
