import { type Client, find, NotFoundError, type Stored } from "keelson";
import { NamespaceNotCachedError } from "keelson/cache";
import type { ReloadRecord } from "../api/reload-record.ts";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import { findRecord } from "../record/reload-records.ts";
import { sameWorkloads } from "../workload/concerned-workloads.ts";
import type { ReloaderParts } from "../workload/parts.ts";
import { targetsOf, targetValue } from "../workload/targets.ts";
import type { Workload } from "../workload/workload.ts";
import { formatWorkload, type WorkloadRef } from "../workload/workload-kind.ts";
import { ineligibility, workloadKinds, workloadOf } from "../workload/workload-kinds.ts";
import type { ObservedTarget } from "./observation.ts";

/** A target, and the workload if it exists. */
export interface FoundTarget extends ObservedTarget {
  readonly found: Workload | undefined;
}

/** The clients of a reconcile or a webhook. */
export interface Clients {
  /** Reads from the cache. */
  readonly client: Client;
  readonly liveClient: Client;
}

/** Reads the targets of a ReloaderConfig, each workload once. */
export function findTargets(
  config: Stored<ReloaderConfig>,
  clients: Clients,
  parts: ReloaderParts,
): Promise<readonly FoundTarget[]> {
  const refs = new Map(targetsOf(config).map((ref) => [targetValue(ref), ref]));
  return Promise.all([...refs.values()].map((ref) => findTarget(ref, clients, parts)));
}

/** Reads a target and its records. */
async function findTarget(
  workload: WorkloadRef,
  { client, liveClient }: Clients,
  parts: ReloaderParts,
): Promise<FoundTarget> {
  const { kind, namespace, name } = workload;
  const nothing = { workload, found: undefined, records: [] } as const;
  if (!parts.workloadKinds.includes(kind))
    return {
      ...nothing,
      presence: "missing",
      ineligibility: `the settings of the operator leave out ${kind}s`,
    };
  try {
    const object = await find(client, workloadKinds[kind].resource, { namespace, name });
    if (object === undefined) {
      const isServed = !workloadKinds[kind].resource.isOptional || (await isKindServed(kind, liveClient));
      return { ...nothing, presence: isServed ? "missing" : "notServed" };
    }
    const found = workloadOf(kind, object);
    const problem = neverReloaded(found, parts);
    return {
      ...{ workload, found, presence: "exists" },
      ...(problem !== undefined && { ineligibility: problem }),
      records: await recordsOf(kind, object, client),
    };
  } catch (error) {
    if (!(error instanceof NamespaceNotCachedError)) throw error;
    const reason = `${formatWorkload(workload)} is in a namespace that the operator does not watch`;
    return { ...nothing, presence: "missing", ineligibility: reason };
  }
}

/** The end of a Job, or of any other workload, is not a problem of the ReloaderConfig. */
function neverReloaded(workload: Workload, { keys }: ReloaderParts): string | undefined {
  const { kind, metadata } = workload;
  if (metadata.deletionTimestamp !== undefined) return undefined;
  if (kind === "Job" && metadata.annotations?.[keys.jobPolicy] === "recreate") return undefined;
  return ineligibility(workload, keys);
}

async function recordsOf(
  kind: WorkloadRef["kind"],
  object: Stored,
  client: Client,
): Promise<readonly Stored<ReloadRecord>[]> {
  const records = await Promise.all(sameWorkloads(kind, object).map((ref) => findRecord(client, ref)));
  return records.filter((record) => record !== undefined);
}

/** Whether the API server serves an optional kind, by the discovery of its group and version. */
async function isKindServed(kind: WorkloadRef["kind"], liveClient: Client): Promise<boolean> {
  const { group, version } = workloadKinds[kind].resource;
  try {
    await liveClient.raw(`/apis/${group}/${version}`);
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}
