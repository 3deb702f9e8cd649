/** The text of any value, also of one that has none, such as an object without a prototype. Never throws. */
export function textOfAny(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "a value without a text";
  }
}

/**
 * What was thrown as an Error that can be logged and shown: its name and its message are text. An error that is not so
 * becomes the cause of one that is. Never throws, whatever code of others has thrown.
 */
export function normalizeError(thrown: unknown): Error {
  return isNormalError(thrown) ? thrown : new Error(textOfAny(thrown), { cause: thrown });
}

/** Whether it is an Error with a name and a message that are text, as the language promises and some break. */
export function isNormalError(thrown: unknown): thrown is Error {
  try {
    return thrown instanceof Error && typeof thrown.message === "string" && typeof thrown.name === "string";
  } catch {
    return false;
  }
}
