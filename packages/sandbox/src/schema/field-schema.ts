import type { StructuralSchema } from "@keelson/schema";

/**
 * What the server knows of a value's form: of built-in kinds from the pinned Kubernetes, of custom ones from their
 * definition. References are resolved, so the graph may have cycles; walk it along a value, never by itself.
 */
export interface FieldSchema
  extends Omit<
    StructuralSchema,
    "properties" | "additionalProperties" | "items" | "allOf" | "anyOf" | "oneOf" | "not"
  > {
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly additionalProperties?: FieldSchema | boolean;
  readonly items?: FieldSchema;
  readonly allOf?: readonly FieldSchema[];
  readonly anyOf?: readonly FieldSchema[];
  readonly oneOf?: readonly FieldSchema[];
  readonly not?: FieldSchema;
  /** How strategic merge patches treat the field; lists of built-in kinds only. `merge`, `retainKeys`, `merge,retainKeys`. */
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  /** Of built-in types, such as `v1.DeploymentSpec`, `resource.Quantity`, `v1.Time`: errors of decoding name it. */
  readonly typeName?: string;
  /**
   * Of built-in scalars: whether an empty one (`0`, `false`, `""`) that was given is kept. Of lists and maps that are
   * always written: whether an empty one stays, instead of becoming null.
   */
  readonly keepsEmpty?: boolean;
  /** Of built-in lists, maps and times: whether they are written even if they are empty or, as null, not there. */
  readonly isAlwaysWritten?: boolean;
}
