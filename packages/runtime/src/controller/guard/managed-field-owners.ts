import { deepEqual, isRecord, type KubeObject, type ManagedFieldsEntry } from "@keelson/core";
import { type FieldStep, parseFieldPath, stepInto } from "./field-path.ts";

/** Who manages fields of an object, as its managedFields say. */
export interface FieldManager {
  readonly manager: string;
  readonly operation?: "Apply" | "Update";
  readonly subresource?: string;
  /** When it last changed something, to the second. */
  readonly time?: string;
}

/**
 * The managers that own the field at a path, or a part of it, or something that it is a part of; the one that wrote last
 * comes first. The path is one of `changedFields`. Of an element of a list that the object does not have (any more) an
 * owner is found only if the list is keyed by what the path names.
 */
export function managedFieldOwners(object: KubeObject, path: string): readonly FieldManager[] {
  const steps = parseFieldPath(path);
  const owners = (object.metadata.managedFields ?? []).filter(({ fieldsV1 }) =>
    owns(fieldsV1, object, steps),
  );
  return newestFirst(owners);
}

/** All managers of the object; the one that wrote last comes first. */
export function fieldManagers(object: KubeObject): readonly FieldManager[] {
  return newestFirst(object.metadata.managedFields ?? []);
}

function newestFirst(entries: readonly ManagedFieldsEntry[]): readonly FieldManager[] {
  return entries
    .map(({ manager = "", operation, subresource, time }) => ({
      manager,
      ...(operation !== undefined && { operation }),
      ...(subresource !== undefined && { subresource }),
      ...(time !== undefined && { time }),
    }))
    .sort((a, b) => (b.time ?? "").localeCompare(a.time ?? ""));
}

/**
 * Whether a set of fields has the one at the end of the steps. The format (FieldsV1) is a tree: `f:name` is a field,
 * `k:{"name":"web"}` an element of a list by its keys, `v:"text"` one by its value, `i:0` one by its place, and `.` the
 * thing itself without what is in it. What has nothing below it is owned with all that it holds.
 */
function owns(fields: unknown, object: unknown, steps: readonly FieldStep[]): boolean {
  if (!isRecord(fields)) return false;
  let node = fields;
  let value = object;
  for (const [depth, step] of steps.entries()) {
    // The root has nothing below it only if the manager owns nothing.
    if (depth > 0 && Object.keys(node).length === 0) return true;
    const inside = stepInto(value, step);
    const below = childOf(node, step, inside);
    if (below === undefined) return false;
    node = below;
    value = inside;
  }
  return steps.length > 0;
}

type FieldTree = Readonly<Record<string, unknown>>;

function childOf(node: FieldTree, step: FieldStep, value: unknown): FieldTree | undefined {
  const child =
    step.type === "field" && Object.hasOwn(node, `f:${step.name}`)
      ? node[`f:${step.name}`]
      : Object.entries(node).find(([key]) => step.type !== "field" && isElement(key, step, value))?.[1];
  return isRecord(child) ? child : undefined;
}

function isElement(key: string, step: FieldStep, element: unknown): boolean {
  if (key.startsWith("i:")) return step.type === "place" && key === `i:${step.place}`;
  if (key.startsWith("v:")) return deepEqual(JSON.parse(key.slice(2)), element);
  if (!key.startsWith("k:")) return false;
  const keys: unknown = JSON.parse(key.slice(2));
  if (!isRecord(keys)) return false;
  if (isRecord(element))
    return Object.entries(keys).every(([name, value]) => deepEqual(element[name], value));
  return step.type === "element" && String(keys[step.name]) === step.value;
}
