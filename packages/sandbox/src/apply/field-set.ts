import { isJsonObject } from "../schema/json-document.ts";
import { compareElements, formatElement, normalElement, sortElements } from "./path-element.ts";

/**
 * A set of fields in the form of FieldsV1, which is how objects carry it, so nothing is converted: a tree by path
 * elements. A node without children is a member of the set; a node with children is one if it also has `.`. Only the
 * root may be empty. Elements stand in the order of `compareElements`. Sets are never changed; results share parts.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** While it is built. */
export interface FieldSetDraft {
  [element: string]: FieldSet;
}

export const emptySet: FieldSet = Object.freeze({});

/** A member without children. */
export const leaf: FieldSet = emptySet;

export const self = ".";

export function isEmpty(set: FieldSet): boolean {
  for (const _element in set) return false;
  return true;
}

export function isMember(node: FieldSet): boolean {
  return node[self] !== undefined || isEmpty(node);
}

/** The node as a member, with the children that it has. */
export function asMember(node: FieldSet | undefined): FieldSet {
  if (node === undefined) return leaf;
  return isMember(node) ? node : { [self]: leaf, ...node };
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a;
  return isEmpty(a) ? b : unionOfChildren(a, b, {});
}

function unionOfNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  if (isEmpty(a)) return asMember(b);
  if (isEmpty(b)) return asMember(a);
  const isSelf = a[self] !== undefined || b[self] !== undefined;
  return unionOfChildren(a, b, isSelf ? { [self]: leaf } : {});
}

function unionOfChildren(a: FieldSet, b: FieldSet, out: FieldSetDraft): FieldSet {
  const added = Object.keys(b).filter((element) => element !== self && a[element] === undefined);
  let next = 0;
  for (const element in a) {
    if (element === self) continue;
    for (let other = added[next]; other !== undefined; other = added[next]) {
      if (compareElements(other, element) > 0) break;
      out[other] = b[other] ?? leaf;
      next += 1;
    }
    const node = a[element] ?? leaf;
    const counterpart = b[element];
    out[element] = counterpart === undefined ? node : unionOfNodes(node, counterpart);
  }
  for (const other of added.slice(next)) out[other] = b[other] ?? leaf;
  return out;
}

/** The fields of `a` that are not in `b`. The children of a removed field stay unless they are in `b` too. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return without(a, b, (node, other) =>
    combined(isMember(node) && !isMember(other), difference(node, other)),
  );
}

/** The fields of `a` that are not in `b`; a field in `b` is removed with everything inside of it. */
export function differenceWithInner(a: FieldSet, b: FieldSet): FieldSet {
  return without(a, b, (node, other) =>
    isMember(other) ? undefined : combined(isMember(node), differenceWithInner(node, other)),
  );
}

/** Walks the common children; returns `a` itself if nothing changes. */
function without(
  a: FieldSet,
  b: FieldSet,
  rest: (node: FieldSet, other: FieldSet) => FieldSet | undefined,
): FieldSet {
  let out: FieldSetDraft | undefined;
  for (const element in b) {
    const node = a[element];
    const other = b[element];
    if (element === self || node === undefined || other === undefined) continue;
    const left = rest(node, other);
    if (left === node) continue;
    out ??= { ...a };
    if (left === undefined) delete out[element];
    else out[element] = left;
  }
  return out ?? a;
}

/** A node of these children; a `.` in `children` is ignored. Undefined if nothing is left. */
function combined(member: boolean, children: FieldSet): FieldSet | undefined {
  const hasSelf = children[self] !== undefined;
  if (hasSelf === member && !isEmpty(children)) return hasInner(children) ? children : leaf;
  if (member) return asMember(children);
  if (!hasSelf) return isEmpty(children) ? undefined : children;
  const { [self]: _self, ...inner } = children;
  return isEmpty(inner) ? undefined : inner;
}

function hasInner(node: FieldSet): boolean {
  for (const element in node) if (element !== self) return true;
  return false;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const out: FieldSetDraft = {};
  for (const element in a) {
    const node = a[element];
    const other = b[element];
    if (element === self || node === undefined || other === undefined) continue;
    const common = combined(isMember(node) && isMember(other), intersection(node, other));
    if (common !== undefined) out[element] = common;
  }
  return out;
}

export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) node = node?.[element];
  return path.length > 0 && node !== undefined && isMember(node);
}

/** Every path of the set, as messages show it: shorter paths before the paths below them. */
export function formatPaths(set: FieldSet, prefix = ""): string[] {
  const elements = Object.keys(set).filter((element) => element !== self);
  const own = elements.filter((element) => isMember(set[element] ?? leaf));
  return [
    ...own.map((element) => prefix + formatElement(element)),
    ...elements.flatMap((element) => formatPaths(set[element] ?? leaf, prefix + formatElement(element))),
  ];
}

/** The set of these paths of plain field names. */
export function setOfFields(...paths: readonly (readonly string[])[]): FieldSet {
  return paths.reduce<FieldSet>((set, path) => {
    const node = path.reduceRight<FieldSet>((inner, name) => ({ [`f:${name}`]: inner }), leaf);
    return union(set, node);
  }, emptySet);
}

/** Reads FieldsV1 from a client, in any order. Throws SyntaxError if it is invalid. */
export function readFieldSet(fields: unknown): FieldSet {
  const node = readNode(fields, 0);
  if (node[self] === undefined) return node;
  const { [self]: _self, ...inner } = node;
  return inner;
}

/** Fields that are nested deeper are owned as a part of what they are in: sets are walked by recursion. */
const deepest = 500;

function readNode(value: unknown, depth: number): FieldSet {
  if (value === null || value === undefined || depth > deepest) return leaf;
  if (!isJsonObject(value)) throw new SyntaxError("fields are objects");
  const children = new Map<string, FieldSet>();
  for (const key of Object.keys(value)) {
    const element = key === self ? undefined : normalElement(key);
    if (element !== undefined) children.set(element, readNode(value[key], depth + 1));
  }
  if (children.size === 0) return leaf;
  const out: FieldSetDraft = Object.hasOwn(value, self) ? { [self]: leaf } : {};
  for (const element of sortElements([...children.keys()])) out[element] = children.get(element) ?? leaf;
  return out;
}
