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
