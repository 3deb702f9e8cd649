const lineage: unique symbol = Symbol.for("@keelson/error-lineage");

/**
 * The base of every error that Keelson throws on purpose. Subclasses carry the facts as fields and a `code` that
 * never changes; the message says `what was done: what happened; what to do`.
 *
 * `instanceof` compares class names, not only prototypes: an application may hold two copies of a package, and an
 * error of one copy must still be recognised by the other.
 */
export abstract class KeelsonError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    Object.defineProperty(this, lineage, { value: classNames(new.target.prototype) });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class on the right of `instanceof`, often a subclass
    return typeof value === "object" && value !== null && namesOf(value).includes(this.name);
  }
}

function namesOf(value: object): readonly unknown[] {
  const names: unknown = Reflect.get(value, lineage);
  return Array.isArray(names) ? names : [];
}

function classNames(prototype: object): readonly string[] {
  const names: string[] = [];
  for (let link: object | null = prototype; link !== Error.prototype && link !== null; ) {
    names.push(link.constructor.name);
    link = Reflect.getPrototypeOf(link);
  }
  return names;
}

/** Turns whatever was caught into an Error, so that `catch` can treat its value as one. */
export function toError(caught: unknown): Error {
  return caught instanceof Error ? caught : new Error(String(caught), { cause: caught });
}

/** The code of a system error, such as `ENOENT`; undefined for anything else. */
export function errorCode(caught: unknown): string | undefined {
  if (!(caught instanceof Error && "code" in caught)) return undefined;
  return typeof caught.code === "string" ? caught.code : undefined;
}
