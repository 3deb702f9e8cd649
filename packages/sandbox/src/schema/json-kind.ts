/** An object of JSON; neither null nor a list. */
export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy of JSON that shares nothing with it. */
export function copyJson<T>(value: T): T;
export function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => copyJson(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copyJson(field)]));
}
