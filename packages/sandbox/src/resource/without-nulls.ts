/** Fields of built-in kinds that hold JSON of any kind, in which a null counts. */
const rawFields: ReadonlySet<string> = new Set(["data", "default", "enum", "example", "fieldsV1"]);

/**
 * A decoded object in which nothing is null: lists and maps that the server writes as null, because they are empty, are
 * left out, so that rules need not distinguish both. What has no nulls is shared.
 */
export function withoutNulls<T extends object>(object: T): T;
export function withoutNulls(value: object): object {
  if (Array.isArray(value)) return itemsWithoutNulls(value);
  let changed: Record<string, unknown> | undefined;
  for (const [name, field] of Object.entries(value)) {
    if (field !== null && (typeof field !== "object" || rawFields.has(name))) continue;
    const next = field === null ? undefined : withoutNulls(field);
    if (next === field) continue;
    changed ??= { ...value };
    if (next === undefined) delete changed[name];
    else changed[name] = next;
  }
  return changed ?? value;
}

function itemsWithoutNulls(list: readonly unknown[]): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    if (typeof item !== "object" || item === null) continue;
    const next = withoutNulls(item);
    if (next === item) continue;
    changed ??= [...list];
    changed[index] = next;
  }
  return changed ?? list;
}
