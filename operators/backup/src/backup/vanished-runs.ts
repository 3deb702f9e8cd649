import { controllerOf, type ObjectContext } from "keelson";
import { Job } from "keelson/kinds/batch/v1";
import type { BackUp } from "../api/back-up.ts";
import type { RunningEntry } from "../api/status.ts";
import type { Run } from "./run.ts";

/** Runs that the status records as under way, and whose Jobs are not in the cache. */
export function missingRuns({ status }: BackUp, runs: readonly Run[]): readonly RunningEntry[] {
  const known = new Set([...runs, ...(status?.history ?? [])].map(({ uid }) => uid));
  return (status?.running ?? []).filter(({ uid }) => !known.has(uid));
}

/**
 * Missing runs whose Jobs do not exist on the server, or have no controller there, as after
 * `kubectl delete cronjob --cascade=orphan`: the end of such a Job is not recorded. The server is read because another
 * replica may have written the status, so that a Job may exist that the cache has not received yet.
 */
export async function findVanishedRuns(
  { object: backup, liveClient }: ObjectContext<BackUp>,
  runs: readonly Run[],
): Promise<readonly RunningEntry[]> {
  const { namespace } = backup.metadata;
  const vanished: RunningEntry[] = [];
  for (const entry of missingRuns(backup, runs)) {
    const { items } = await liveClient.list(Job, { namespace, fieldSelector: `metadata.name=${entry.job}` });
    const exists = items.some((job) => job.metadata.uid === entry.uid && controllerOf(job) !== undefined);
    if (!exists) vanished.push(entry);
  }
  return vanished;
}
