import { draft, formatTime, freeze, type GenericObject, type Status } from "@keelson/core";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import { ApiError, conflict, notFound } from "../../status/api-error.ts";
import { StaleWriteError } from "../../store/errors.ts";
import { type StoredObject, type StoreWrite, storeKey } from "../../store/store.ts";
import type { DeleteOptions } from "../options/delete-options.ts";
import type { WriteOptions } from "../options/write-options.ts";
import { admissionRequest, admitMutating, admitValidating } from "./admit.ts";
import { finalizersForDeletion, propagationWarning } from "./dependents.ts";
import { type Grace, graceOf } from "./grace.ts";
import type { NamedTarget, WriterDependencies } from "./object-writer.ts";
import { sortedForStore } from "./sorted-keys.ts";
import { isHeldByKind, markDeleted, marksFirst } from "./staged-deletion.ts";
import { fromStored } from "./stored-version.ts";
import { isUnchanged } from "./unchanged.ts";

type Options = DeleteOptions & WriteOptions;

/** Kinds whose deletion returns the object; for other kinds it returns a Status that names the object. */
const returnsObject: ReadonlySet<string> = new Set([
  "csidrivers.storage.k8s.io",
  "csinodes.storage.k8s.io",
  "deviceclasses.resource.k8s.io",
  "devicetaintrules.resource.k8s.io",
  "namespaces",
  "persistentvolumeclaims",
  "persistentvolumes",
  "pods",
  "podtemplates",
  "resourceclaims.resource.k8s.io",
  "resourceclaimtemplates.resource.k8s.io",
  "resourcequotas",
  "resourceslices.resource.k8s.io",
  "serviceaccounts",
  "services",
  "storageclasses.storage.k8s.io",
  "volumeattachments.storage.k8s.io",
  "volumeattributesclasses.storage.k8s.io",
]);

export async function deleteObject(
  dependencies: WriterDependencies,
  target: NamedTarget,
  options: Options,
  /** The name in the admission request; empty when a collection is deleted. */
  admittedName: string = target.name,
): Promise<GenericObject | Status> {
  const { resource, namespace, name } = target;
  const warning = propagationWarning(resource, options);
  if (warning !== undefined) options.warn(warning);
  for (;;) {
    const stored = dependencies.store.get(resource.collection, storeKey(namespace, name));
    if (stored === undefined) throw notFound(resource, name);
    try {
      return await deleteStored(dependencies, { target, options, stored, admittedName });
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
      options.signal.throwIfAborted();
    }
  }
}

/** Deletes those of the objects that still exist, one after the other. */
export async function deleteObjects(
  dependencies: WriterDependencies,
  resource: ServedResource,
  objects: readonly StoredObject[],
  options: Options,
): Promise<void> {
  for (const { metadata } of objects) {
    const { name, namespace } = metadata;
    try {
      await deleteObject(dependencies, { resource, namespace, name, subresource: undefined }, options, "");
    } catch (error) {
      if (!(error instanceof ApiError) || error.status.reason !== "NotFound") throw error;
    }
  }
}

interface Deletion {
  readonly target: NamedTarget;
  readonly options: Options;
  readonly stored: StoredObject;
  readonly admittedName: string;
}

async function deleteStored(
  dependencies: WriterDependencies,
  deletion: Deletion,
): Promise<GenericObject | Status> {
  const { target, options, stored } = deletion;
  const { resource } = target;
  checkPreconditions(resource, stored, options);
  if (marksFirst(resource.collection)) {
    if (stored.metadata.deletionTimestamp === undefined) return markFirst(dependencies, deletion);
    if (isHeldByKind(resource.collection, stored)) return fromStored(resource, stored);
  }
  const now = dependencies.clock.now();
  const grace = graceOf(resource.strategy, stored, options.gracePeriodSeconds, now);
  if (grace.kind === "pending") return deleteResult(target, stored);
  await admit(dependencies, deletion);
  const { finalizers = [] } = stored.metadata;
  const nextFinalizers = finalizersForDeletion(resource, stored.metadata, options);
  const isHeld = nextFinalizers.length > 0;
  if (grace.kind === "none" && !isHeld) return deleteResult(target, remove(dependencies, deletion, stored));
  const next = draft(stored);
  if (nextFinalizers !== finalizers) setFinalizers(next, nextFinalizers);
  markForDeletion(next, grace, now);
  const marked = replace(dependencies, deletion, next);
  const isDue = grace.kind === "graceful" && grace.requestedSeconds === 0 && !isHeld;
  if (!isDue || options.dryRun) return fromStored(resource, marked);
  return deleteResult(target, remove(dependencies, deletion, marked));
}

/** Sets deletionTimestamp and deletionGracePeriodSeconds. */
function markForDeletion({ metadata }: MutableObject, grace: Grace, now: number): void {
  const isFirst = metadata.deletionTimestamp === undefined;
  if (isFirst && (metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1;
  if (grace.kind === "graceful") {
    metadata.deletionTimestamp = grace.deletionTimestamp;
    metadata.deletionGracePeriodSeconds = grace.seconds;
    return;
  }
  const { deletionTimestamp } = metadata;
  if (deletionTimestamp === undefined || Date.parse(deletionTimestamp) > now) {
    metadata.deletionTimestamp = formatTime(now);
  }
  metadata.deletionGracePeriodSeconds = 0;
}

async function markFirst(dependencies: WriterDependencies, deletion: Deletion): Promise<GenericObject> {
  const { target, options, stored } = deletion;
  const { resource } = target;
  await admit(dependencies, deletion);
  const next = draft(stored);
  markDeleted(resource.collection, next, dependencies.clock.now());
  if (resource.collection === "namespaces") {
    setFinalizers(next, finalizersForDeletion(resource, stored.metadata, options));
  }
  return fromStored(resource, replace(dependencies, deletion, next));
}

function setFinalizers({ metadata }: MutableObject, finalizers: readonly string[]): void {
  if (finalizers.length === 0) delete metadata.finalizers;
  else metadata.finalizers = [...finalizers];
}

async function admit(
  dependencies: WriterDependencies,
  { target, options, stored, admittedName }: Deletion,
): Promise<void> {
  const chain = dependencies.admission();
  if (chain.mutating.length === 0 && chain.validating.length === 0) return;
  const oldObject = await fromStored(target.resource, stored);
  const write = { operation: "DELETE", name: admittedName, oldObject } as const;
  const request = admissionRequest(target, write, options);
  await admitMutating(chain, request, undefined);
  await admitValidating(chain, request, undefined);
}

function checkPreconditions(
  { group, kind, plural, collection }: ServedResource,
  { metadata }: StoredObject,
  { preconditions = {} }: DeleteOptions,
): void {
  const { uid, resourceVersion } = preconditions;
  const { name, uid: actualUid, resourceVersion: actualVersion } = metadata;
  const isStaged = marksFirst(collection);
  // Like the real server, the common check names the kind instead of the resource.
  const resource = isStaged ? { group, plural } : { group, plural: kind };
  if (uid !== undefined && uid !== actualUid) {
    const why = isStaged
      ? `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actualUid}`
      : `the UID in the precondition (${uid}) does not match the UID in record (${actualUid}). The object might have been deleted and then recreated`;
    throw conflict(resource, name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== actualVersion) {
    const why = isStaged
      ? `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${actualVersion}`
      : `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${actualVersion}). The object might have been modified`;
    throw conflict(resource, name, why);
  }
}

/** Stores the next state of an object that is being deleted, if it differs. */
function replace(
  dependencies: WriterDependencies,
  { target, options, stored }: Deletion,
  next: MutableObject,
): GenericObject {
  const object = sortedForStore(target.resource, next);
  if (options.dryRun) return freeze(object);
  if (isUnchanged(next, stored)) return stored;
  return dependencies.store.write({ ...placeOf(target, stored), object });
}

function remove(
  dependencies: WriterDependencies,
  { target, options }: Deletion,
  state: GenericObject,
): GenericObject {
  return options.dryRun ? state : dependencies.store.write({ ...placeOf(target, state), object: undefined });
}

function placeOf(
  { resource, namespace, name }: NamedTarget,
  { metadata }: GenericObject,
): Omit<StoreWrite, "object"> {
  return {
    collection: resource.collection,
    key: storeKey(namespace, name),
    expectedRevision: Number(metadata.resourceVersion),
  };
}

function deleteResult(
  { resource, name }: NamedTarget,
  state: GenericObject,
): GenericObject | Status | Promise<GenericObject> {
  if (returnsObject.has(resource.collection)) return fromStored(resource, state);
  const { group, plural } = resource;
  const { uid } = state.metadata;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name,
      ...(group === "" ? {} : { group }),
      kind: plural,
      ...(uid === undefined ? {} : { uid }),
    },
  };
}
