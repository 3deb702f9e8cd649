import {
  deepEqual,
  formatKey,
  groupResourceOf,
  identityOf,
  isRecord,
  type KubeObject,
  type ObjectKey,
  type Resource,
  type Stored,
} from "@keelson/core";
import type { CallOptions, Client, ObjectToWrite, WriteOptions } from "../client.ts";
import { InvalidCallError } from "../errors.ts";
import { mergePatch, mergePatchBetween, type Patch } from "../patch.ts";
import { find } from "./find.ts";

/** The result of createOrUpdate and createOrPatch [CL6]. */
export type Upsert = "created" | "updated" | "updatedStatus" | "updatedStatusOnly" | "unchanged";

export interface UpsertOutcome<T extends KubeObject> {
  readonly result: Upsert;
  /** As the server has it now. */
  readonly object: Stored<T>;
}

/**
 * Returns the desired object for the current one, which is undefined if it does not exist. Metadata that the result
 * leaves out (labels, annotations, finalizers, owner references) stays as it is.
 */
export type MutateFn<T extends KubeObject> = (current: Stored<T> | undefined) => ObjectToWrite<T>;

/**
 * Reads the object, computes the desired one, and creates it, replaces it, or leaves it alone if nothing would change. An
 * update holds only for the version that was read: a ConflictError means that it has changed since. The status is not
 * written: the server keeps it apart.
 */
export async function createOrUpdate<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  key: ObjectKey,
  mutate: MutateFn<T>,
  options: WriteOptions = {},
): Promise<UpsertOutcome<T>> {
  const current = await find(client, resource, key, callOptions(options));
  const desired = desiredObject(resource, key, mutate, current);
  if (current === undefined)
    return { result: "created", object: await client.create(resource, desired, options) };
  const isSame = mergePatchBetween(withoutStatus(current), withoutStatus(desired)) === undefined;
  if (isSame) return { result: "unchanged", object: current };
  return { result: "updated", object: await client.update(resource, desired, options) };
}

/**
 * As createOrUpdate, but sends only what differs, and the status too, on its own path, if the desired object has one.
 * The patches hold only for the version that was read.
 */
export async function createOrPatch<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  key: ObjectKey,
  mutate: MutateFn<T>,
  options: WriteOptions = {},
): Promise<UpsertOutcome<T>> {
  const current = await find(client, resource, key, callOptions(options));
  const desired = desiredObject(resource, key, mutate, current);
  const base = current ?? (await client.create(resource, desired, options));
  const mainPatch = current && mergePatchBetween(withoutStatus(current), withoutStatus(desired));
  const main =
    mainPatch === undefined ? base : await client.patch(resource, key, guarded(mainPatch, base), options);
  const statusPatch = statusPatchBetween(base, desired);
  const statusClient = client.status(resource);
  const object =
    statusPatch === undefined ? main : await statusClient.patch(key, guarded(statusPatch, main), options);
  return { result: resultOf(current, mainPatch, statusPatch), object };
}

function resultOf(current: unknown, mainPatch: unknown, statusPatch: unknown): Upsert {
  if (current === undefined) return "created";
  if (statusPatch === undefined) return mainPatch === undefined ? "unchanged" : "updated";
  return mainPatch === undefined ? "updatedStatusOnly" : "updatedStatus";
}

/** What of the options of a write is also for a read. */
function callOptions({ signal, timeoutMs }: WriteOptions): CallOptions {
  return { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
}

/** The desired object, with the metadata that the function left out, and the version it was computed from. */
function desiredObject<T extends KubeObject>(
  resource: Resource<T>,
  key: ObjectKey,
  mutate: MutateFn<T>,
  current: Stored<T> | undefined,
): ObjectToWrite<T> {
  const desired = mutate(current);
  const { name, namespace } = desired.metadata;
  // A client of one namespace fills it in, so the object that was read may know it where the key does not.
  const known = current?.metadata.namespace ?? key.namespace;
  if (name !== key.name || (namespace ?? known) !== known) {
    const became = formatKey({ name: name ?? "", ...(namespace !== undefined && { namespace }) });
    throw new InvalidCallError(
      `create or update ${groupResourceOf(resource)} ${formatKey(key)}`,
      `the mutate function renamed the object to ${became}; it must keep name and namespace`,
    );
  }
  const { resourceVersion } = current?.metadata ?? {};
  const guard = resourceVersion === undefined ? {} : { resourceVersion };
  return {
    ...desired,
    ...identityOf(resource),
    metadata: { ...current?.metadata, ...desired.metadata, ...guard },
  };
}

/** Makes a patch hold only for the version that it was made from. */
function guarded(patch: object, base: KubeObject): Patch {
  const metadata = "metadata" in patch && isRecord(patch.metadata) ? patch.metadata : {};
  return mergePatch({ ...patch, metadata: { ...metadata, resourceVersion: base.metadata.resourceVersion } });
}

function withoutStatus(object: object): object {
  return { ...object, status: undefined };
}

/** A desired object without a status leaves the status alone. */
function statusPatchBetween(base: object, desired: object): object | undefined {
  if (!("status" in desired) || desired.status === undefined) return undefined;
  const before = "status" in base ? base.status : undefined;
  return deepEqual(before, desired.status)
    ? undefined
    : mergePatchBetween({ status: before }, { status: desired.status });
}
