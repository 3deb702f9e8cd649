import { freeze, type GenericObject } from "@keelson/core";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { WriteContext } from "../../resource/strategy.ts";
import { conflict, invalid, notFound, staleVersion } from "../../status/api-error.ts";
import { invalidValue } from "../../status/field-problem.ts";
import { StaleWriteError } from "../../store/errors.ts";
import { type StoredObject, storeKey } from "../../store/store.ts";
import type { WriteOptions } from "../options/write-options.ts";
import { revisionOf } from "../request/resource-version.ts";
import { admissionRequest, admitMutating, admitValidating } from "./admit.ts";
import { createPrepared } from "./create.ts";
import { prepareCustomUpdate } from "./custom-parts.ts";
import { checkChanged } from "./object-problems.ts";
import type { NamedTarget, Written } from "./object-writer.ts";
import { type WriterDependencies, writeContext } from "./object-writer.ts";
import { setDefaults } from "./schema-steps.ts";
import { sortedForStore, withSortedKeys } from "./sorted-keys.ts";
import { isHeldByKind } from "./staged-deletion.ts";
import { fromStored, toStored } from "./stored-version.ts";
import {
  countGeneration,
  dropDuplicateOwners,
  keepGeneration,
  keepSystemFields,
  placeInNamespace,
  tidyMetadata,
} from "./system-metadata.ts";
import { isUnchanged } from "./unchanged.ts";

/** A write of an object that usually exists: a PUT or a PATCH. */
interface Rewrite {
  readonly target: NamedTarget;
  readonly options: WriteOptions;
  readonly mayCreate: boolean;
  /** Throws ApiError if this is not the object that the client means. */
  precondition?(current: GenericObject | undefined): void;
  /**
   * The desired object for the current one, in the version of the resource; called again if another write came in
   * between.
   */
  change(current: GenericObject | undefined): MutableObject;
}

/** Computes and stores the next state; repeats if another write came in between. */
export async function rewriteObject(dependencies: WriterDependencies, rewrite: Rewrite): Promise<Written> {
  const { target, options, mayCreate, change } = rewrite;
  const { resource, namespace, name } = target;
  for (;;) {
    const stored = dependencies.store.get(resource.collection, storeKey(namespace, name));
    if (stored === undefined && !mayCreate) throw notFound(resource, name);
    rewrite.precondition?.(stored);
    if (stored === undefined) {
      const object = await createPrepared(dependencies, target, change(undefined), options);
      return { object, created: true };
    }
    try {
      const object = await replaceStored(dependencies, rewrite, stored);
      return { object, created: false };
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
      options.signal.throwIfAborted();
    }
  }
}

async function replaceStored(
  dependencies: WriterDependencies,
  { target, options, change }: Rewrite,
  stored: StoredObject,
): Promise<GenericObject> {
  const { resource } = target;
  const read = fromStored(resource, stored);
  const current = read instanceof Promise ? await read : read;
  const object = change(current);
  const write = { operation: "UPDATE", name: target.name, oldObject: current } as const;
  const request = admissionRequest(target, write, options);
  if (await admitMutating(dependencies.admission(), request, object)) setDefaults(resource, object);
  dropDuplicateOwners(object.metadata, options.warn, "after admission");
  checkRevision(target, object, stored);
  const context = writeContext(dependencies, target.subresource, options);
  prepareUpdate(target, object, current, context);
  checkChanged(resource, object, current, context);
  // A client that writes a subresource is not warned about the rest of the object.
  if (target.subresource === undefined) {
    for (const warning of resource.strategy.warnings?.(object, current) ?? []) options.warn(warning);
  }
  // A write that changes nothing is not stored.
  const next: GenericObject = isUnchanged(object, current) ? current : object;
  await admitValidating(dependencies.admission(), request, next);
  return keep(dependencies, { target, options, stored, current, next });
}

/** Refuses a stale resource version; a write without one needs a kind that allows unconditional updates. */
function checkRevision(
  { resource, name }: NamedTarget,
  { metadata }: MutableObject,
  stored: StoredObject,
): void {
  const revision = revisionOf(metadata);
  const current = stored.metadata.resourceVersion;
  if (revision === 0) {
    if (!resource.strategy.allowsUnconditionalUpdate) {
      const problem = invalidValue("metadata.resourceVersion", 0, "must be specified for an update");
      throw invalid({ group: resource.group, kind: resource.plural }, name, [problem]);
    }
    metadata.resourceVersion = current;
  } else if (revision !== Number(current)) {
    throw conflict(resource, name, staleVersion);
  }
}

function prepareUpdate(
  target: NamedTarget,
  object: MutableObject,
  current: GenericObject,
  context: WriteContext,
): void {
  const { resource, subresource } = target;
  tidyMetadata(object.metadata);
  placeInNamespace(object.metadata, target);
  keepGeneration(object, current);
  if (resource.isCustom) prepareCustomUpdate(resource, object, current, subresource);
  resource.strategy.prepareForUpdate(object, current, context);
  countGeneration(resource, object, current, subresource);
  keepSystemFields(object.metadata, current);
}

interface Replacement extends Pick<Rewrite, "target" | "options"> {
  readonly stored: StoredObject;
  readonly current: GenericObject;
  readonly next: GenericObject;
}

async function keep(dependencies: WriterDependencies, replacement: Replacement): Promise<GenericObject> {
  const { target, options, stored, current, next } = replacement;
  const { resource, namespace, name } = target;
  const place = {
    collection: resource.collection,
    key: storeKey(namespace, name),
    expectedRevision: Number(stored.metadata.resourceVersion),
  };
  if (isFinished(resource.collection, next, current)) {
    if (!options.dryRun) dependencies.store.write({ ...place, object: undefined });
    return freeze(withSortedKeys(resource, next));
  }
  if (next === current && (current === stored || !resource.isCustom)) return current;
  const toStore = toStored(resource, next);
  const state = toStore instanceof Promise ? await toStore : toStore;
  // An object that the definition of its kind describes otherwise than it is stored, is stored again as it is read.
  if (next === current && isUnchanged(state, stored)) return current;
  if (options.dryRun) return fromStored(resource, freeze(withSortedKeys(resource, state)));
  return fromStored(
    resource,
    dependencies.store.write({ ...place, object: sortedForStore(resource, state) }),
  );
}

/** An object that is being deleted is removed with its last finalizer, unless it still has a grace period. */
function isFinished(collection: string, next: GenericObject, { metadata: old }: GenericObject): boolean {
  if ((next.metadata.finalizers ?? []).length > 0 || old.deletionTimestamp === undefined) return false;
  return (old.deletionGracePeriodSeconds ?? 0) === 0 && !isHeldByKind(collection, next);
}
