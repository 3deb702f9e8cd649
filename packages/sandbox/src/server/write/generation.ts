import { deepEqual, type GenericObject } from "@keelson/core";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { ServedResource } from "../../resource/served-resource.ts";

/** Nobody sets the generation: it is taken over from the old object before the kind has its say. */
export function keepGeneration({ metadata }: MutableObject, { metadata: old }: GenericObject): void {
  if (old.generation === undefined) delete metadata.generation;
  else metadata.generation = old.generation;
}

/** Counts a change of what the kind is asked to be, unless the kind has counted by rules of its own. */
export function countGeneration(
  { isCustom, strategy }: ServedResource,
  object: MutableObject,
  old: GenericObject,
  subresource: string | undefined,
): void {
  if (!strategy.countsGenerations || object.metadata.generation !== old.metadata.generation) return;
  // The status of a custom kind without a status subresource counts like all else.
  if (subresource === "status") return;
  const isNew =
    strategy.isNewGeneration?.(object, old) ??
    !isSameBut(object, old, isCustom ? metadataOnly : metadataAndStatus);
  if (!isNew) return;
  object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

const metadataOnly: ReadonlySet<string> = new Set(["metadata"]);
const metadataAndStatus: ReadonlySet<string> = new Set(["metadata", "status"]);

function isSameBut(one: GenericObject, other: GenericObject, ignored: ReadonlySet<string>): boolean {
  for (const field of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (!ignored.has(field) && !deepEqual(one[field], other[field])) return false;
  }
  return true;
}
