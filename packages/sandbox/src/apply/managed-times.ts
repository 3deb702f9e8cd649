import { deepEqual } from "@keelson/core";
import { fieldOf, isJsonObject, type JsonObject } from "../patch/json-value.ts";
import { metadataOf, setManagedFields, storedEntries } from "./object-fields.ts";

/**
 * Undoes changes of times in the managed fields if nothing else of the object changed, so that a write without effect
 * is none. To be asked last before an update is stored; changes the object.
 */
export function keepTimesOfUnchanged(object: JsonObject, live: Readonly<JsonObject>): void {
  const [before, after] = [storedEntries(live), storedEntries(object)];
  if (before.length === 0 || before.length !== after.length || before === after) return;
  const differsByTimeOnly = after.every((entry, index) => {
    return deepEqual({ ...entry, time: undefined }, { ...before[index], time: undefined });
  });
  if (!differsByTimeOnly || !deepEqual(withoutManagedFields(object), withoutManagedFields(live))) return;
  const metadata = fieldOf(object, "metadata");
  if (isJsonObject(metadata)) setManagedFields({ metadata }, before);
}

function withoutManagedFields(object: Readonly<JsonObject>): JsonObject {
  return { ...object, metadata: { ...metadataOf(object), managedFields: undefined } };
}
