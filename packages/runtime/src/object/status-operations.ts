import { deepEqual, isRecord, type JsonPatchOperation, pointer } from "@keelson/core";

/**
 * The steps that bring a status to what it is to be. What is missing or undefined in it is removed; lists are replaced
 * whole, because others may have moved their elements.
 */
export function statusOperations(before: object | undefined, after: object): readonly JsonPatchOperation[] {
  if (before === undefined)
    return stated(after).length === 0 ? [] : [{ op: "add", path: pointer("status"), value: after }];
  return fieldOperations(["status"], new Map(Object.entries(before)), stated(after));
}

function stated(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, field]) => field !== undefined);
}

function fieldOperations(
  path: readonly string[],
  before: ReadonlyMap<string, unknown>,
  after: readonly (readonly [string, unknown])[],
): readonly JsonPatchOperation[] {
  const kept = new Set(after.map(([name]) => name));
  const removed = [...before.keys()].filter((name) => !kept.has(name));
  return [
    ...removed.map((name) => ({ op: "remove" as const, path: pointer(...path, name) })),
    ...after.flatMap(([name, value]) => {
      const old = before.get(name);
      if (deepEqual(old, value)) return [];
      if (isRecord(old) && isRecord(value))
        return fieldOperations([...path, name], new Map(Object.entries(old)), stated(value));
      return [{ op: "add" as const, path: pointer(...path, name), value }];
    }),
  ];
}
