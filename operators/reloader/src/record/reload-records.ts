import { createHash } from "node:crypto";
import { type Client, ConflictError, find, NotFoundError, type ObjectKey, type Stored } from "keelson";
import { apiVersionOf } from "keelson/low-level";
import { writeStatus } from "keelson/object";
import { ReloadRecord, type ReloadRecordStatus } from "../api/reload-record.ts";
import type { Workload } from "../workload/workload.ts";
import type { WorkloadRef } from "../workload/workload-kind.ts";

/** The field owner of everything that the operator writes, also on workloads. */
export const fieldOwner = "reloader";

const longestName = 253;
const digits = 12;

/** The key of the record of a workload: `deployment-web`; a name that would be too long ends with a hash. */
function recordKeyOf({ kind, namespace, name }: WorkloadRef): ObjectKey & { readonly namespace: string } {
  const whole = `${kind.toLowerCase()}-${name}`;
  if (whole.length <= longestName) return { namespace, name: whole };
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, digits);
  const cut = whole.slice(0, longestName - digits - 1).replace(/[-.]+$/, "");
  return { namespace, name: `${cut}-${hash}` };
}

/** The workload that a record is of. */
export function workloadOfRecord({ metadata, spec }: Stored<ReloadRecord>): WorkloadRef {
  return { kind: spec.kind, namespace: metadata.namespace ?? "", name: spec.name };
}

/** The record of a workload; undefined if there is none. It may be that of an earlier workload of the same name. */
export function findRecord(client: Client, ref: WorkloadRef): Promise<Stored<ReloadRecord> | undefined> {
  return find(client, ReloadRecord, recordKeyOf(ref));
}

/**
 * Creates the record of a workload that has none, with an owner reference, so that the garbage collector deletes it with the
 * workload. A record of an earlier workload of this name is deleted first.
 */
export async function createRecord(
  client: Client,
  { kind, resource, metadata }: Workload,
  earlier: Stored<ReloadRecord> | undefined,
): Promise<Stored<ReloadRecord>> {
  const { namespace, name, uid } = metadata;
  if (earlier !== undefined) await removeRecord(client, earlier);
  const owner = { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid };
  return client.create(
    ReloadRecord,
    {
      metadata: { ...recordKeyOf({ kind, namespace, name }), ownerReferences: [owner] },
      spec: { kind, name, uid },
    },
    { fieldOwner },
  );
}

/** False if nothing differed. */
export function saveRecord(
  client: Client,
  record: Stored<ReloadRecord>,
  status: ReloadRecordStatus,
): Promise<boolean> {
  return writeStatus(client, ReloadRecord, record, status, { fieldOwner });
}

/** Deletes this record, and no later one of the same name. It may be deleted already, such as with its workload. */
export async function removeRecord(client: Client, { metadata }: Stored<ReloadRecord>): Promise<void> {
  const { namespace, name, uid } = metadata;
  try {
    await client.delete(
      ReloadRecord,
      { ...(namespace !== undefined && { namespace }), name },
      { preconditions: { uid } },
    );
  } catch (error) {
    if (!(error instanceof NotFoundError) && !(error instanceof ConflictError)) throw error;
  }
}
