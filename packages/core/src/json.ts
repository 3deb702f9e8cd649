/** Whether a value from outside, such as parsed JSON, is an object whose fields can be looked at. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Whether two JSON values are the same: the order of an array counts, that of an object's properties does not, and a
 * property that is undefined is the same as one that is not there.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && arraysEqual(a, b);
  return !Array.isArray(b) && objectsEqual(a, b);
}

function arraysEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((element, index) => deepEqual(element, b[index]));
}

function objectsEqual(a: object, b: object): boolean {
  for (const key of Object.keys(a)) {
    if (!deepEqual(fieldOf(a, key), fieldOf(b, key))) return false;
  }
  for (const key of Object.keys(b)) {
    if (!Object.hasOwn(a, key) && fieldOf(b, key) !== undefined) return false;
  }
  return true;
}

/** Only what the object itself holds: data may well have a key such as `constructor`. */
function fieldOf(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? Reflect.get(object, key) : undefined;
}

/** One step of an RFC 6902 patch. The API server applies all steps of a patch or none. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/**
 * The JSON pointer (RFC 6901) to a field: `pointer("metadata", "labels", "example.com/app")`. Names are escaped. An
 * array's element is named by its index, the place after its last one by `-`.
 */
export function pointer(...names: readonly (string | number)[]): string {
  return names.map((name) => `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
