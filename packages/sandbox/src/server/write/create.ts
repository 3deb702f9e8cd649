import { draft, freeze, type GenericObject } from "@keelson/core";
import type { AdmissionRequest } from "../../admission/admission.ts";
import { generatedName } from "../../resource/generated-name.ts";
import type { MutableObject } from "../../resource/mutable-object.ts";
import { ApiError, alreadyExists } from "../../status/api-error.ts";
import { type StoredObject, storeKey } from "../../store/store.ts";
import type { WriteOptions } from "../options/write-options.ts";
import { admissionRequest, admitMutating, admitValidating } from "./admit.ts";
import { prepareCustomCreate } from "./custom-parts.ts";
import { recordManager } from "./managed-fields.ts";
import { checkNew } from "./object-problems.ts";
import type { WriteTarget } from "./object-writer.ts";
import { type WriterDependencies, writeContext } from "./object-writer.ts";
import { setDefaults } from "./schema-steps.ts";
import { sortedForStore, withSortedKeys } from "./sorted-keys.ts";
import { fromStored, toStored } from "./stored-version.ts";
import {
  dropDuplicateOwners,
  fillSystemFields,
  placeInNamespace,
  tidyMetadata,
  wipeSystemFields,
} from "./system-metadata.ts";

/** How often a name is generated before the client is asked to retry. */
const nameAttempts = 8;

/** A POST. Changes the object that is passed. */
export async function createObject(
  dependencies: WriterDependencies,
  target: WriteTarget,
  object: MutableObject,
  options: WriteOptions,
): Promise<GenericObject> {
  const { metadata } = object;
  wipeSystemFields(metadata);
  tidyMetadata(metadata);
  placeInNamespace(metadata, target);
  dropDuplicateOwners(metadata, options.warn, "before admission");
  setDefaults(target.resource, object);
  const hasVersion = isVersioned(metadata.resourceVersion);
  recordManager(dependencies, target, object, undefined, options);
  return createPrepared(dependencies, target, object, options, hasVersion);
}

/**
 * The rest of a creation for any verb, from mutating admission on. An object with a resourceVersion is refused at the
 * end, after all other checks.
 */
export async function createPrepared(
  dependencies: WriterDependencies,
  target: WriteTarget,
  object: MutableObject,
  options: WriteOptions,
  hasVersion = false,
): Promise<GenericObject> {
  const { resource } = target;
  const name = object.metadata.name ?? "";
  const request = admissionRequest(target, { operation: "CREATE", name, oldObject: undefined }, options);
  if (await admitMutating(dependencies.admission(), request, object)) setDefaults(resource, object);
  const { metadata } = object;
  tidyMetadata(metadata);
  dropDuplicateOwners(metadata, options.warn, "after admission");
  fillSystemFields(metadata, dependencies);
  placeInNamespace(metadata, target);
  const prefix = metadata.name === undefined ? (metadata.generateName ?? "") : "";
  if (prefix !== "") metadata.name = freeName(dependencies, target, prefix);
  delete metadata.resourceVersion;
  if (resource.strategy.countsGenerations) metadata.generation = 1;
  if (resource.isCustom) prepareCustomCreate(resource, object);
  const context = writeContext(dependencies, target.subresource, options);
  resource.strategy.prepareForCreate(object, context);
  checkNew(resource, object, context);
  for (const warning of resource.strategy.warnings?.(object, undefined) ?? []) options.warn(warning);
  options.checkCreation?.();
  await admitNamed(dependencies, request, object);
  if (hasVersion && !options.dryRun) throw versionOnCreate();
  return insert(dependencies, target, object, options, { request, prefix });
}

interface Insertion {
  readonly request: AdmissionRequest;
  /** Empty if the client chose the name. */
  readonly prefix: string;
}

/** Stores the object; under another generated name if an object of that name was created meanwhile. */
async function insert(
  dependencies: WriterDependencies,
  target: WriteTarget,
  object: GenericObject,
  options: WriteOptions,
  { request, prefix }: Insertion,
): Promise<GenericObject> {
  const { resource, namespace } = target;
  const { collection } = resource;
  for (let candidate = object, attempt = 1; ; attempt++) {
    const key = storeKey(namespace, candidate.metadata.name ?? "");
    const toStore = toStored(resource, candidate);
    const state = toStore instanceof Promise ? await toStore : toStore;
    const taken = dependencies.store.get(collection, key);
    if (taken === undefined) {
      if (options.dryRun) return fromStored(resource, freeze(withSortedKeys(resource, state)));
      const write = { collection, key, object: sortedForStore(resource, state), expectedRevision: 0 };
      return fromStored(resource, dependencies.store.write(write));
    }
    if (prefix === "") throw nameTaken(target, taken);
    if (attempt === nameAttempts) throw noFreeName(target, candidate.metadata.name ?? "");
    const renamed = draft(candidate);
    renamed.metadata.name = freeName(dependencies, target, prefix);
    await admitNamed(dependencies, request, renamed);
    candidate = renamed;
  }
}

/** Validating admission sees the generated name. */
async function admitNamed(
  dependencies: WriterDependencies,
  request: AdmissionRequest,
  object: GenericObject,
): Promise<void> {
  const chain = dependencies.admission();
  if (chain.validating.length === 0) return;
  await admitValidating(chain, { ...request, name: object.metadata.name ?? "" }, object);
}

function freeName({ store, random }: WriterDependencies, target: WriteTarget, prefix: string): string {
  let name = generatedName(prefix, random);
  for (let attempt = 1; attempt < nameAttempts; attempt++) {
    if (store.get(target.resource.collection, storeKey(target.namespace, name)) === undefined) break;
    name = generatedName(prefix, random);
  }
  return name;
}

function nameTaken({ resource }: WriteTarget, { metadata }: StoredObject): ApiError {
  const error = alreadyExists(resource, metadata.name);
  if (metadata.deletionTimestamp === undefined) return error;
  return withMessage(error, `object is being deleted: ${error.message}`);
}

function noFreeName({ resource }: WriteTarget, name: string): ApiError {
  const { message, status } = alreadyExists(resource, name);
  return new ApiError({
    httpCode: status.code,
    reason: "AlreadyExists",
    message: `${message}, the server was not able to generate a unique name for the object`,
    details: { ...status.details, retryAfterSeconds: 1 },
  });
}

function withMessage({ status }: ApiError, message: string): ApiError {
  const { code, reason, details } = status;
  return new ApiError({
    httpCode: code,
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
  });
}

function versionOnCreate(): ApiError {
  return new ApiError({
    httpCode: 500,
    message: "resourceVersion should not be set on objects to be created",
  });
}

/** A resource version that is not a number counts as absent, as in the real server. */
function isVersioned(resourceVersion: string | undefined): boolean {
  return resourceVersion !== undefined && /^\d+$/.test(resourceVersion) && Number(resourceVersion) > 0;
}
