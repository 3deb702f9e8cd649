import { deepEqual, isRecord } from "@keelson/core";

/** A field that two states of an object differ in. */
export interface ChangedField {
  /** Such as `spec.replicas`, `metadata.labels["app.kubernetes.io/name"]` or `spec.containers[name=web].image`. */
  readonly path: string;
  /** Undefined if it was not there. */
  readonly before: unknown;
  /** Undefined if it is not there any more. */
  readonly after: unknown;
}

/** They change with every write, and say nothing about what was written. */
const ignored: ReadonlySet<string> = new Set(["metadata.managedFields", "metadata.resourceVersion"]);

/**
 * What the elements of a list may be told apart by, the first that fits. Its value becomes part of the path and so of
 * logs, therefore only fields that never hold a secret; `key` is not among them.
 */
const elementNames = ["name", "type", "uid", "mountPath", "containerPort", "port"] as const;

const mostPaths = 32;

/**
 * The deepest fields in which the two differ; none if and only if they are equal apart from `managedFields` and
 * `resourceVersion`. Elements of a list are matched by their names where they have any, else by their places; a list
 * that only has another order is one field. The values may be secrets: they are for comparing, not for showing.
 */
export function changedFields(old: unknown, now: unknown): readonly ChangedField[] {
  return [...walk(old, now, "")];
}

/** The paths of `changedFields`, for people: the first 32, and `…` if there are more. Shows no values. */
export function changedPaths(old: unknown, now: unknown): readonly string[] {
  const paths: string[] = [];
  for (const { path } of walk(old, now, "")) {
    if (paths.length === mostPaths) return [...paths, "…"];
    paths.push(path);
  }
  return paths;
}

function* walk(before: unknown, after: unknown, path: string): Generator<ChangedField> {
  if (before === after || ignored.has(path)) return;
  if (isRecord(before) && isRecord(after)) yield* walkRecords(before, after, path);
  else if (Array.isArray(before) && Array.isArray(after)) yield* walkLists(before, after, path);
  else if (!deepEqual(before, after)) yield { path, before, after };
}

type JsonObject = Readonly<Record<string, unknown>>;

function* walkRecords(before: JsonObject, after: JsonObject, path: string): Generator<ChangedField> {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    yield* walk(ownField(before, key), ownField(after, key), fieldPath(path, key));
  }
}

/** Data may well have a key such as `constructor`. */
function ownField(record: JsonObject, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function* walkLists(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
): Generator<ChangedField> {
  const name = elementNames.find((field) => tellsApart(before, field) && tellsApart(after, field));
  if (name === undefined) yield* walkByPlace(before, after, path);
  else yield* walkByName(byName(before, name), byName(after, name), { path, name, before, after });
}

function* walkByPlace(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
): Generator<ChangedField> {
  for (let place = 0; place < Math.max(before.length, after.length); place++) {
    yield* walk(before[place], after[place], `${path}[${place}]`);
  }
}

function* walkByName(
  old: ReadonlyMap<string, unknown>,
  now: ReadonlyMap<string, unknown>,
  list: ChangedField & { readonly name: string },
): Generator<ChangedField> {
  const { path, before, after } = list;
  const kept = [...old.keys()].filter((name) => now.has(name));
  const keptNow = [...now.keys()].filter((name) => old.has(name));
  if (!deepEqual(kept, keptNow)) yield { path, before, after };
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    yield* walk(old.get(name), now.get(name), `${path}[${list.name}=${name}]`);
  }
}

/** Whether every element has such a field, and no two the same. */
function tellsApart(list: readonly unknown[], field: string): boolean {
  const names = list.map((element) => nameIn(element, field));
  return !names.includes(undefined) && new Set(names).size === names.length;
}

function byName(list: readonly unknown[], field: string): ReadonlyMap<string, unknown> {
  return new Map(list.map((element) => [nameIn(element, field) ?? "", element]));
}

/** The value as it stands in a path; undefined if there is none that could. */
function nameIn(element: unknown, field: string): string | undefined {
  if (!isRecord(element)) return undefined;
  const value = ownField(element, field);
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return undefined;
  return /^[\w./:-]+$/.test(value) ? value : JSON.stringify(value);
}

function fieldPath(path: string, key: string): string {
  if (!/^[\w-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}
