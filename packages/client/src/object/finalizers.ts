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

/** How often others may be faster before it is given up. Each time the object is read again. */
const maxAttempts = 20;

/**
 * Adds the finalizer, unless it is there, and gives the object as it is then. Other finalizers survive, whoever adds
 * or removes them at the same time [CL8]. Throws BeingDeletedError once the object's deletion has begun, and
 * NotFoundError if it is gone, also if another one has taken its place.
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
 * Removes the finalizer and no other [CL8], and gives the object as it is then; undefined if it is gone, which the
 * removal of the last finalizer of a deleted object brings about.
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

/** Sends a guarded patch; when the guard does not hold, because others were faster, reads the object and tries again. */
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
    if (current.metadata.uid !== object.metadata.uid) throw goneError(resource, key);
  }
}

function goneError(resource: Resource, key: ObjectKey): NotFoundError {
  const message = "the object was deleted, and another one has taken its name";
  const status = { apiVersion: "v1", kind: "Status", code: 404, reason: "NotFound", message } as const;
  return new NotFoundError(`patch ${groupResourceOf(resource)} ${formatKey(key)}`, status);
}
