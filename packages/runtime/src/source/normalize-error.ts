/** The text of any value, also of one that has none, such as an object without a prototype. Never throws. */
export function textOfAny(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "a value without a text";
  }
}

/**
 * The thrown value as an Error that can be logged: its name and its message are strings. A value that is none becomes the
 * cause of one. Never throws, whatever user code has thrown.
 */
export function normalizeError(thrown: unknown): Error {
  return isNormalError(thrown) ? thrown : new Error(textOfAny(thrown), { cause: thrown });
}

/** Whether a value is an Error whose name and message are strings, which some errors violate. */
export function isNormalError(thrown: unknown): thrown is Error {
  try {
    return thrown instanceof Error && typeof thrown.message === "string" && typeof thrown.name === "string";
  } catch {
    return false;
  }
}
