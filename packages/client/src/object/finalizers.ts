import {
  addFinalizerPatch,
  formatKey,
  groupResourceOf,
  type JsonPatchOperation,
  type KubeObject,
  keyOf,
  type ObjectKey,
  type Resource,
  removeFinalizerPatch,
  type Stored,
} from "@keelson/core";
import type { CallOptions, Client } from "../client.ts";
import { InvalidError, NotFoundError } from "../errors.ts";
import { jsonPatch } from "../patch.ts";

/** How many patches are tried. After each that came too late the object is read again. */
const maxAttempts = 20;

/**
 * Adds the finalizer, unless the object has it, and returns the object as it is then. Finalizers that other writers add
 * or remove at the same time survive [CL8]. Throws BeingDeletedError if the object is being deleted, and NotFoundError
 * if it no longer exists, also if another object has its name now.
 */
export async function addFinalizer<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  object: Stored<T>,
  finalizer: string,
  options: CallOptions = {},
): Promise<Stored<T>> {
  const makePatch = (current: Stored<T>) => addFinalizerPatch(current, finalizer);
  return await patchUntilAgreed(client, resource, object, makePatch, options);
}

/**
 * Removes the finalizer and no other [CL8], and returns the object as it is then; undefined if it no longer exists,
 * which follows from the removal of the last finalizer of an object that is being deleted.
 */
export async function removeFinalizer<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  object: Stored<T>,
  finalizer: string,
  options: CallOptions = {},
): Promise<Stored<T> | undefined> {
  const makePatch = (current: Stored<T>) => removeFinalizerPatch(current, finalizer);
  try {
    return await patchUntilAgreed(client, resource, object, makePatch, options);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** Sends a guarded patch; when the guard fails, because the object has changed, reads the object and tries again. */
async function patchUntilAgreed<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  object: Stored<T>,
  makePatch: (current: Stored<T>) => readonly JsonPatchOperation[] | undefined,
  options: CallOptions,
): Promise<Stored<T>> {
  const key = keyOf(object);
  let current = object;
  for (let attempt = 1; ; attempt++) {
    const operations = makePatch(current);
    if (operations === undefined) return current;
    try {
      return await client.patch(resource, key, jsonPatch(operations), options);
    } catch (error) {
      // A `test` operation that fails makes the patch invalid.
      if (!(error instanceof InvalidError) || attempt === maxAttempts) throw error;
    }
    current = await client.get(resource, key, options);
    if (current.metadata.uid !== object.metadata.uid) throw deletedError(resource, key);
  }
}

function deletedError(resource: Resource, key: ObjectKey): NotFoundError {
  const message = "the object was deleted, and another object has its name";
  const status = { apiVersion: "v1", kind: "Status", code: 404, reason: "NotFound", message } as const;
  return new NotFoundError(`patch ${groupResourceOf(resource)} ${formatKey(key)}`, status);
}
