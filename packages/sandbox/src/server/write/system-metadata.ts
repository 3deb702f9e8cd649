import { deepEqual, formatTime, type GenericObject, randomUuid } from "@keelson/core";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import { badRequest } from "../../status/api-error.ts";
import type { NamedTarget, WriterDependencies, WriteTarget } from "./object-writer.ts";

type Metadata = MutableObject["metadata"];

/** Removes the fields that a create may not set. */
export function wipeSystemFields(metadata: Metadata): void {
  delete metadata.creationTimestamp;
  delete metadata.uid;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

export function fillSystemFields(metadata: Metadata, { clock, random }: WriterDependencies): void {
  metadata.uid = randomUuid(random);
  metadata.creationTimestamp = formatTime(clock.now());
}

/** Sets the namespace of the request; throws ApiError if the object has another one. */
export function placeInNamespace(metadata: Metadata, { resource, namespace = "" }: WriteTarget): void {
  const expected = resource.scope === "Namespaced" ? namespace : "";
  const { namespace: given = "" } = metadata;
  if (given === expected) return;
  if (expected === "") delete metadata.namespace;
  else if (given === "") metadata.namespace = expected;
  else {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

export function checkName({ name: given = "" }: Metadata, { name }: NamedTarget): void {
  if (given === "") {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
}

/** Removes duplicate owner references, with a warning. */
export function dropDuplicateOwners(
  metadata: Metadata,
  warn: (text: string) => void,
  stage: "before admission" | "after admission",
): void {
  const { ownerReferences } = metadata;
  if (ownerReferences === undefined || ownerReferences.length < 2) return;
  const kept: typeof ownerReferences = [];
  const duplicates: string[] = [];
  for (const reference of ownerReferences) {
    if (kept.some((other) => deepEqual(other, reference))) duplicates.push(reference.uid);
    else kept.push(reference);
  }
  if (duplicates.length === 0) return;
  metadata.ownerReferences = kept;
  const uids = duplicates.join(", ");
  warn(
    stage === "before admission"
      ? `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`
      : `.metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
  );
}

/** Keeps the fields that an update cannot change. `countGeneration` sets the generation. */
export function keepSystemFields(metadata: Metadata, { metadata: old }: GenericObject): void {
  if (metadata.uid === undefined && old.uid !== undefined) metadata.uid = old.uid;
  if (old.creationTimestamp !== undefined) metadata.creationTimestamp = old.creationTimestamp;
  if (old.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    metadata.deletionGracePeriodSeconds = old.deletionGracePeriodSeconds;
  }
}

/**
 * Removes empty fields (null, empty strings, maps and lists), as the server does when it stores objects. An empty list of
 * managed fields means that no manager owns a field, and stays.
 */
export function tidyMetadata(metadata: Metadata): void {
  for (const field in metadata) {
    if (field !== "managedFields" && isNothing(Reflect.get(metadata, field))) {
      Reflect.deleteProperty(metadata, field);
    }
  }
}

function isNothing(value: unknown): boolean {
  if (typeof value === "string") return value === "";
  if (typeof value !== "object") return value === undefined;
  if (value === null) return true;
  for (const _field in value) return false;
  return true;
}

/** Keeps the generation of the old object, because clients cannot set it; the kind may change it afterwards. */
export function keepGeneration({ metadata }: MutableObject, { metadata: old }: GenericObject): void {
  if (old.generation === undefined) delete metadata.generation;
  else metadata.generation = old.generation;
}

/** Increments the generation for a change of the spec, unless the kind has counted by its own rules. */
export function countGeneration(
  { isCustom, strategy }: ServedResource,
  object: MutableObject,
  old: GenericObject,
  subresource: string | undefined,
): void {
  if (!strategy.countsGenerations || object.metadata.generation !== old.metadata.generation) return;
  // The status of a custom kind without a status subresource counts like any other field.
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
