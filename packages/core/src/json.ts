/** Whether a value from outside, such as parsed JSON, is an object whose fields can be looked at. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Whether two JSON values are the same: the order of an array counts, that of an object's properties does not, and a
 * property that is undefined is the same as one that is not there.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  // Not by recursion: the depth of an object is what its author chose, and the stack is limited.
  const open: Pair[] = [];
  if (!mayBeEqual(open, a, b)) return false;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { left, right } = next;
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    const mayStayEqual =
      Array.isArray(left) && Array.isArray(right)
        ? haveEqualElements(open, left, right)
        : haveEqualFields(open, left, right);
    if (!mayStayEqual) return false;
  }
  return true;
}

/** Two objects or two arrays that are yet to be compared. */
interface Pair {
  readonly left: object;
  readonly right: object;
}

/** False if two values differ; objects and arrays are left for later. */
function mayBeEqual(open: Pair[], left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null)
    return isSameInteger(left, right);
  open.push({ left, right });
  return true;
}

/** A bigint may be so small that the server returns it as a number. */
function isSameInteger(left: unknown, right: unknown): boolean {
  return (
    typeof left !== typeof right && isNumeric(left) && isNumeric(right) && String(left) === String(right)
  );
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function haveEqualElements(open: Pair[], left: readonly unknown[], right: readonly unknown[]): boolean {
  return (
    left.length === right.length && left.every((element, index) => mayBeEqual(open, element, right[index]))
  );
}

function haveEqualFields(open: Pair[], left: object, right: object): boolean {
  for (const key of Object.keys(left)) {
    if (!mayBeEqual(open, fieldOf(left, key), fieldOf(right, key))) return false;
  }
  for (const key of Object.keys(right)) {
    if (!Object.hasOwn(left, key) && fieldOf(right, key) !== undefined) return false;
  }
  return true;
}

/** Only what the object itself holds: data may well have a key such as `constructor`. */
function fieldOf(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? Reflect.get(object, key) : undefined;
}

/** Whether objects and arrays are nested in each other to more than this many levels. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let containers = containersIn([value]);
  for (let level = 0; level < levels && containers.length > 0; level++)
    containers = containers.flatMap((container) => containersIn(Object.values(container)));
  return containers.length > 0;
}

function containersIn(values: readonly unknown[]): readonly object[] {
  return values.filter((value) => typeof value === "object" && value !== null);
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

export interface DiffJsonOptions {
  /** Where the values are in the document that the patch is for. Default: they are the document. */
  readonly path?: readonly (string | number)[];
  /**
   * Whether the document may have changed since `before` was read. Then fields are set by `add`, which works whether the
   * field exists or not, and lists are replaced as a whole, because their elements may have moved. Default: false.
   */
  readonly mayHaveChanged?: boolean;
}

/** What is nested deeper in a document is replaced as a whole where it differs. */
const deepestDiff = 500;

/**
 * The RFC 6902 patch that turns `before` into `after`; empty if they are equal. It contains only what differs, so that
 * all other fields stay as the server sent them [WH3]. A field that is undefined in `after` is removed.
 */
export function diffJson(
  before: unknown,
  after: unknown,
  { path = [], mayHaveChanged = false }: DiffJsonOptions = {},
): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  compare({ operations, mayHaveChanged }, path, before, after);
  return operations;
}

interface Diff {
  readonly operations: JsonPatchOperation[];
  readonly mayHaveChanged: boolean;
}

type Path = readonly (string | number)[];

function compare(diff: Diff, path: Path, before: unknown, after: unknown): void {
  const { operations, mayHaveChanged } = diff;
  const isTooDeep = path.length > deepestDiff;
  if (isRecord(before) && isRecord(after) && !isTooDeep) compareFields(diff, path, before, after);
  else if (mayHaveChanged || isTooDeep) {
    if (!deepEqual(before, after)) operations.push({ op: "add", path: pointer(...path), value: after });
  } else if (Array.isArray(before) && Array.isArray(after)) compareElements(diff, path, before, after);
  else if (before !== after) operations.push({ op: "replace", path: pointer(...path), value: after });
}

function compareFields(
  diff: Diff,
  path: Path,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): void {
  for (const name of Object.keys(before)) {
    if (!isSet(after, name)) diff.operations.push({ op: "remove", path: pointer(...path, name) });
  }
  for (const [name, value] of Object.entries(after)) {
    if (value === undefined) continue;
    if (Object.hasOwn(before, name)) compare(diff, [...path, name], before[name], value);
    else diff.operations.push({ op: "add", path: pointer(...path, name), value });
  }
}

/** A field set to undefined is not in the JSON. */
function isSet(object: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(object, name) && object[name] !== undefined;
}

/** Equal elements at both ends stay; between them, pairs are compared and the rest is added or removed. */
function compareElements(
  diff: Diff,
  path: Path,
  before: readonly unknown[],
  after: readonly unknown[],
): void {
  const { operations } = diff;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && deepEqual(before[start], after[start])) start++;
  let same = 0;
  while (same < shorter - start && deepEqual(before.at(-1 - same), after.at(-1 - same))) same++;
  const oldEnd = before.length - same;
  const newEnd = after.length - same;
  const pairedEnd = Math.min(oldEnd, newEnd);
  for (let index = start; index < pairedEnd; index++) {
    compare(diff, [...path, index], before[index], after[index]);
  }
  // From the end, so that the indexes of earlier elements do not change.
  for (let index = oldEnd - 1; index >= pairedEnd; index--) {
    operations.push({ op: "remove", path: pointer(...path, index) });
  }
  for (let index = pairedEnd; index < newEnd; index++) {
    operations.push({ op: "add", path: pointer(...path, index), value: after[index] });
  }
}
