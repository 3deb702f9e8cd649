import { asMember, type FieldSet, type FieldSetDraft, isEmpty, leaf, self } from "./field-set.ts";
import type { FieldType } from "./field-type.ts";
import { narrowOwners, type Owners } from "./managers.ts";

/** Sets that are known to fit a type: sets are never changed, and most were checked before. */
const fitting = new WeakMap<FieldSet, FieldType>();

/**
 * Adapts the sets of owners to the current type: an owner of single fields of a value that the schema now declares as
 * `atomic` owns the whole value.
 */
export function reconcileOwners(owners: Owners, type: FieldType): void {
  narrowOwners(owners, ({ set }) => {
    if (fitting.get(set) === type) return set;
    const reconciled = reconcile(set, type, false) ?? set;
    fitting.set(reconciled, type);
    return reconciled;
  });
}

/** The adapted node; undefined if it fits already. */
function reconcile(node: FieldSet, type: FieldType, isWhole: boolean): FieldSet | undefined {
  if (type.map !== undefined) {
    const isUntyped = type.scalar !== undefined;
    if (isUntyped) return undefined;
    if (type.map.isAtomic) return isWhole || isEmpty(node) ? undefined : leaf;
  } else if (type.list !== undefined) {
    if (type.list.relation === "atomic") return isWhole ? undefined : leaf;
  } else return undefined;
  let out: FieldSetDraft | undefined;
  for (const element in node) {
    const child = node[element];
    if (element === self || child === undefined) continue;
    const inner = typeAt(type, element);
    const fitted = inner === undefined ? undefined : reconcile(child, inner, isEmpty(child));
    if (fitted === undefined) continue;
    out ??= { ...node };
    out[element] = child[self] === undefined ? fitted : asMember(fitted);
  }
  return out;
}

function typeAt(type: FieldType, element: string): FieldType | undefined {
  if (!element.startsWith("f:")) return type.list?.element;
  return type.map?.declared(element.slice(2)) ?? type.map?.element;
}
