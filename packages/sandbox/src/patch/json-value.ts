/** A JSON object that may be changed: a private copy, never what the store holds. */
export interface JsonObject {
  [field: string]: unknown;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own field: data may have a key such as `constructor` or `__proto__`. */
export function fieldOf(object: Readonly<JsonObject>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an own field. An assignment to `__proto__` would change the prototype instead. */
export function setField(object: JsonObject, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
