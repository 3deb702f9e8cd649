/**
 * The own fields of an object, each read once: of someone else's object a getter may throw, or the object be a revoked
 * proxy. What cannot be read says so.
 */
export function readFields(value: object, most: number = Number.POSITIVE_INFINITY): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const key of keysOf(value)) {
    if (fields.size >= most) break;
    fields.set(key, readField(value, key));
  }
  return fields;
}

export function readField(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    // That it threw is all there is to log.
    return "[unreadable]";
  }
}

function keysOf(value: object): readonly string[] {
  try {
    return Object.keys(value);
  } catch {
    // A revoked proxy has no fields to show.
    return [];
  }
}
