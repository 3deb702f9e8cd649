import { copyJson } from "./copy-json.ts";

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
  return copyJson(value, Object.entries);
}

/** Freezes a JSON value at every depth and returns it. A value that is frozen already is not walked again. */
export function freeze<T>(value: T): Immutable<T>;
export function freeze(value: unknown): unknown {
  if (!isChangeable(value)) return value;
  // Not by recursion: the depth of an object is what its author chose, and the stack is limited.
  const open: object[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    Object.freeze(next);
    for (const field of Object.values(next)) if (isChangeable(field)) open.push(field);
  }
  return value;
}

function isChangeable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Object.isFrozen(value);
}
