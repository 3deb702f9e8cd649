import { deepEqual, isRecord, type JsonPatchOperation, pointer } from "@keelson/core";

/**
 * The RFC 6902 patch that turns `before` into `after`. It contains only what differs, so that all other fields, numbers
 * that JavaScript cannot represent included, stay as the server sent them [WH3].
 */
export function jsonPatchBetween(before: unknown, after: unknown): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  compare([], before, after, operations);
  return operations;
}

type Path = readonly (string | number)[];

function compare(path: Path, before: unknown, after: unknown, operations: JsonPatchOperation[]): void {
  if (isRecord(before) && isRecord(after)) compareFields(path, before, after, operations);
  else if (Array.isArray(before) && Array.isArray(after)) compareElements(path, before, after, operations);
  else if (before !== after) operations.push({ op: "replace", path: pointer(...path), value: after });
}

function compareFields(
  path: Path,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  operations: JsonPatchOperation[],
): void {
  for (const name of Object.keys(before)) {
    if (!isSet(after, name)) operations.push({ op: "remove", path: pointer(...path, name) });
  }
  for (const [name, value] of Object.entries(after)) {
    if (value === undefined) continue;
    if (Object.hasOwn(before, name)) compare([...path, name], before[name], value, operations);
    else operations.push({ op: "add", path: pointer(...path, name), value });
  }
}

/** A field set to undefined is not in the JSON. */
function isSet(object: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(object, name) && object[name] !== undefined;
}

/** Equal elements at both ends stay; between them, pairs are compared and the rest is added or removed. */
function compareElements(
  path: Path,
  before: readonly unknown[],
  after: readonly unknown[],
  operations: JsonPatchOperation[],
): void {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && deepEqual(before[start], after[start])) start++;
  let same = 0;
  while (same < shorter - start && deepEqual(before.at(-1 - same), after.at(-1 - same))) same++;
  const oldEnd = before.length - same;
  const newEnd = after.length - same;
  const pairedEnd = Math.min(oldEnd, newEnd);
  for (let index = start; index < pairedEnd; index++) {
    compare([...path, index], before[index], after[index], operations);
  }
  // From the end, so that the indexes of earlier elements do not change.
  for (let index = oldEnd - 1; index >= pairedEnd; index--) {
    operations.push({ op: "remove", path: pointer(...path, index) });
  }
  for (let index = pairedEnd; index < newEnd; index++) {
    operations.push({ op: "add", path: pointer(...path, index), value: after[index] });
  }
}
