/** The type of an immutable value: every property and every array of it, at every depth, is read-only. */
export type Immutable<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends readonly (infer Element)[]
    ? readonly Immutable<Element>[]
    : T extends object
      ? { readonly [Key in keyof T]: Immutable<T[Key]> }
      : T;

/** The type of a private copy that may be changed before it is written: the opposite of Immutable. */
export type Draft<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends readonly (infer Element)[]
    ? Draft<Element>[]
    : T extends object
      ? { -readonly [Key in keyof T]: Draft<T[Key]> }
      : T;

/** Copies a JSON value so that the copy may be changed. Objects of Kubernetes are JSON, so nothing else is handled. */
export function draft<T>(value: T): Draft<T>;
export function draft(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => draft(element));
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (key === "__proto__") setOwn(copy, key, draft(field));
    else copy[key] = draft(field);
  }
  return copy;
}

/** By assignment, the key `__proto__`, which data may have, would change what the object inherits instead. */
function setOwn(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Freezes a JSON value at every depth and returns it. A value that is frozen already is not walked again. */
export function freeze<T>(value: T): Immutable<T>;
export function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  // Checked before the call as well: most fields are not objects.
  for (const field of Object.values(value)) if (typeof field === "object") freeze(field);
  return Object.freeze(value);
}
