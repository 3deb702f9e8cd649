import {
  deepEqual,
  formatKey,
  groupResourceOf,
  isRecord,
  type KubeObject,
  type ObjectKey,
  type Resource,
} from "@keelson/core";
import type { Client, ObjectToWrite, WriteOptions } from "../client.ts";
import { InvalidCallError, NotFoundError } from "../errors.ts";
import { mergePatch } from "../patch.ts";
import { identityOf } from "../request/answer.ts";
import { mergePatchBetween } from "./merge-patch.ts";

/** What became of an object [CL6]. */
export type Upsert = "created" | "updated" | "updatedStatus" | "updatedStatusOnly" | "unchanged";

export interface UpsertOutcome<T> {
  readonly result: Upsert;
  /** As the server has it now. */
  readonly object: T;
}

/** Gives the object as it is to be, from the object as it is, or from nothing if there is none yet. */
export type Desire<T extends KubeObject> = (current: T | undefined) => ObjectToWrite<T>;

/**
 * Reads the object, asks what it is to be, and creates it, replaces it, or leaves it alone if nothing would change. The
 * resource version that was read guards the update: a ConflictError means that someone was faster. The status is not
 * written: the server keeps it apart.
 */
export async function createOrUpdate<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  key: ObjectKey,
  desire: Desire<T>,
  options: WriteOptions = {},
): Promise<UpsertOutcome<T>> {
  const current = await getIfThere(client, resource, key, options);
  const desired = desiredObject(resource, key, desire, current);
  if (current === undefined) {
    return { result: "created", object: await client.create(resource, desired, options) };
  }
  if (deepEqual(current, { ...desired, ...identityOf(resource) }))
    return { result: "unchanged", object: current };
  return { result: "updated", object: await client.update(resource, desired, options) };
}

/**
 * As createOrUpdate, but sends only what differs, and the status too, on its own path. Both patches hold only for the
 * resource version that was read.
 */
export async function createOrPatch<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  key: ObjectKey,
  desire: Desire<T>,
  options: WriteOptions = {},
): Promise<UpsertOutcome<T>> {
  const current = await getIfThere(client, resource, key, options);
  const desired = { ...desiredObject(resource, key, desire, current), ...identityOf(resource) };
  const base =
    current ?? (await client.create(resource, desiredObject(resource, key, desire, current), options));
  const mainPatch =
    current === undefined ? undefined : mergePatchBetween(withoutStatus(base), withoutStatus(desired));
  const patched =
    mainPatch === undefined ? base : await client.patch(resource, key, guarded(mainPatch, base), options);
  const statusPatch = mergePatchBetween(statusOf(base), statusOf(desired));
  const object =
    statusPatch === undefined
      ? patched
      : await client.status(resource).patch(key, guarded(statusPatch, patched), options);
  return { result: resultOf(current, mainPatch, statusPatch), object };
}

function resultOf(current: unknown, mainPatch: unknown, statusPatch: unknown): Upsert {
  if (current === undefined) return "created";
  if (statusPatch === undefined) return mainPatch === undefined ? "unchanged" : "updated";
  return mainPatch === undefined ? "updatedStatusOnly" : "updatedStatus";
}

async function getIfThere<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  key: ObjectKey,
  { signal, timeoutMs }: WriteOptions,
): Promise<T | undefined> {
  try {
    return await client.get(resource, key, {
      ...(signal && { signal }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

function desiredObject<T extends KubeObject>(
  resource: Resource<T>,
  key: ObjectKey,
  desire: Desire<T>,
  current: T | undefined,
): ObjectToWrite<T> {
  const desired = desire(current);
  const { name, namespace } = desired.metadata;
  if (name !== key.name || namespace !== key.namespace) {
    const became = formatKey({ name: name ?? "", ...(namespace !== undefined && { namespace }) });
    throw new InvalidCallError(
      `create or update ${groupResourceOf(resource)} ${formatKey(key)}`,
      `the function that says what the object is to be renamed it to ${became}; it must keep name and namespace`,
    );
  }
  return desired;
}

/** Makes a patch hold only for the version that it was made from. */
function guarded(patch: object, base: KubeObject): ReturnType<typeof mergePatch> {
  const metadata = "metadata" in patch && isRecord(patch.metadata) ? patch.metadata : {};
  return mergePatch({ ...patch, metadata: { ...metadata, resourceVersion: base.metadata.resourceVersion } });
}

function withoutStatus(object: object): object {
  return { ...object, status: undefined };
}

function statusOf(object: object): object {
  return { status: "status" in object ? object.status : undefined };
}
