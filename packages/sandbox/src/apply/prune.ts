import { difference, type FieldSet, intersection, isEmpty, union } from "./field-set.ts";
import type { FieldType } from "./field-type.ts";
import { fieldsOfConfiguration, withNamedFields } from "./fields-of-configuration.ts";
import type { Owners } from "./managers.ts";
import { removeItems } from "./remove-items.ts";

/**
 * The merged object without what its applier owned before and does not mention any more, unless somebody else owns it.
 * `owners` has the applier's new fields already.
 */
export function prune(
  merged: unknown,
  owners: Owners,
  previous: FieldSet | undefined,
  type: FieldType,
): unknown {
  if (previous === undefined || isEmpty(previous)) return merged;
  const named = (set: FieldSet): FieldSet => withNamedFields(set, type);
  const present = named(fieldsOfConfiguration(merged, type));
  const last = named(previous);
  const bare = removeItems(merged, last, type);
  let owned: FieldSet = {};
  for (const { set } of owners.values()) owned = union(owned, set);
  const kept = union(named(fieldsOfConfiguration(bare, type)), named(owned));
  const pruned = removeItems(merged, difference(present, kept), type);
  // What nobody owned must not go with what was owned around it.
  const gone = difference(present, named(fieldsOfConfiguration(pruned, type)));
  return removeItems(merged, intersection(gone, last), type);
}
