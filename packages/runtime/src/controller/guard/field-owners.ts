import { deepEqual, isRecord, type KubeObject, type ManagedFieldsEntry, parseJson } from "@keelson/core";

/** One step of a field path. */
export type FieldStep =
  | { readonly type: "field"; readonly name: string }
  /** An element of a list, by its index. */
  | { readonly type: "index"; readonly index: number }
  /** The element of a list whose field `name` has the value, be it a string or a number. */
  | { readonly type: "element"; readonly name: string; readonly value: string };

const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
const stepPattern = new RegExp(
  String.raw`\.?(?<field>[\w-]+)|\[(?<key>${quoted})\]|\[(?<index>\d+)\]|\[(?<name>\w+)=(?<value>${quoted}|[^\]]+)\]`,
  "g",
);

/** The steps of a path as `changedFields` writes it, such as `spec.containers[name=web].image`. */
export function parseFieldPath(path: string): readonly FieldStep[] {
  return Array.from(path.matchAll(stepPattern), ({ groups = {} }) => toStep(groups));
}

function toStep({ field, key, index, name, value }: Record<string, string | undefined>): FieldStep {
  if (field !== undefined) return { type: "field", name: field };
  if (key !== undefined) return { type: "field", name: String(JSON.parse(key)) };
  if (index !== undefined) return { type: "index", index: Number(index) };
  const text = value ?? "";
  return { type: "element", name: name ?? "", value: text.startsWith('"') ? String(JSON.parse(text)) : text };
}

/** The value at the end of the steps; undefined if the field does not exist. */
export function valueAt(value: unknown, steps: readonly FieldStep[]): unknown {
  return steps.reduce(stepInto, value);
}

function stepInto(value: unknown, step: FieldStep): unknown {
  if (step.type === "field") {
    return isRecord(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined;
  }
  if (!Array.isArray(value)) return undefined;
  if (step.type === "index") return value[step.index];
  return value.find((element) => isRecord(element) && String(element[step.name]) === step.value);
}

/** A field manager of an object, from its managedFields. */
export interface FieldManager {
  readonly manager: string;
  readonly operation?: "Apply" | "Update";
  readonly subresource?: string;
  /** When it last changed something, to the second. */
  readonly time?: string;
}

/**
 * The managers that own the field at a path, or a part of it, or the atomic map or list that it is a part of; the last
 * writer comes first. The path is one of `changedFields`. The owner of a list element that the object does not contain (any more) is
 * found only if the list is keyed by the field that the path names.
 */
export function managedFieldOwners(object: KubeObject, path: string): readonly FieldManager[] {
  const steps = parseFieldPath(path);
  const entries = object.metadata.managedFields ?? [];
  const found = entries.map(({ fieldsV1 }) => treeAt(fieldsV1, object, steps));
  // A leaf above the field contains it only in an atomic map or list, of which no manager owns a part; in any other it stands
  // for the map or list itself.
  const isAtomic = (at: number): boolean =>
    found.every(({ depth, isLeaf }) => depth < at || (depth === at && isLeaf));
  const owners = entries.filter((_, index) => {
    const { depth, isLeaf } = found[index] ?? nothingOwned;
    return depth === steps.length || (isLeaf && isAtomic(depth));
  });
  return newestFirst(owners);
}

/** All managers of the object; the last writer comes first. */
export function fieldManagers(object: KubeObject): readonly FieldManager[] {
  return newestFirst(object.metadata.managedFields ?? []);
}

/**
 * The managers, other than the own ones, that set a field. A removed field has no owner: then it is the manager that
 * last wrote the status, or the rest, of the object. Empty if only own managers are found.
 */
export function findOtherManagers(
  live: KubeObject,
  path: string,
  ownManagers: readonly string[],
): readonly FieldManager[] {
  const isOther = ({ manager }: FieldManager): boolean => !ownManagers.includes(manager);
  const owners = managedFieldOwners(live, path);
  if (owners.length > 0) return owners.filter(isOther);
  const isOfStatus = /^status\b/.test(path);
  return fieldManagers(live)
    .filter(({ subresource }) => (subresource === "status") === isOfStatus)
    .filter(isOther)
    .slice(0, 1);
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

/** How far a set of fields follows the steps to a field. */
interface FollowedSteps {
  /** How many steps it contains; 0 if it owns nothing of the object there. */
  readonly depth: number;
  /** Whether the last of them is owned without a list of its contents: as a value, or as an empty or atomic map or list. */
  readonly isLeaf: boolean;
}

const nothingOwned: FollowedSteps = { depth: 0, isLeaf: false };

/**
 * Follows the steps in a set of fields. The format (FieldsV1) is a tree: `f:name` is a field, `k:{"name":"web"}` an element
 * of a list by its keys, `v:"text"` one by its value, `i:0` one by its index, and `.` the value itself without its contents.
 */
function treeAt(fields: unknown, object: unknown, steps: readonly FieldStep[]): FollowedSteps {
  if (!isRecord(fields)) return nothingOwned;
  let node = fields;
  let value = object;
  for (const [depth, step] of steps.entries()) {
    // The root is a leaf only if the manager owns nothing.
    if (depth > 0 && Object.keys(node).length === 0) return { depth, isLeaf: true };
    const inside = stepInto(value, step);
    const below = childOf(node, step, inside);
    if (below === undefined) return { depth, isLeaf: false };
    node = below;
    value = inside;
  }
  return { depth: steps.length, isLeaf: Object.keys(node).length === 0 };
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
  if (key.startsWith("i:")) return step.type === "index" && key === `i:${step.index}`;
  if (key.startsWith("v:")) return deepEqual(parseJson(key.slice(2)), element);
  if (!key.startsWith("k:")) return false;
  const keys: unknown = parseJson(key.slice(2));
  if (!isRecord(keys)) return false;
  if (isRecord(element))
    return Object.entries(keys).every(([name, value]) => deepEqual(element[name], value));
  return step.type === "element" && String(keys[step.name]) === step.value;
}
