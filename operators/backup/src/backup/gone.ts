import { type Client, controllerOf } from "keelson";
import { Job } from "keelson/kinds/batch/v1";
import type { BackUp } from "../api/back-up.ts";
import type { RunningEntry } from "../api/status.ts";
import { vanishedFrom } from "./history.ts";
import type { Run } from "./run.ts";

/**
 * Runs that were under way and whose Jobs the server does not have any more, or has without a controller, as after
 * `kubectl delete cronjob --cascade=orphan`: those are nobody's, and their ends are not told. A cache that does not have
 * them may just not have heard of them, if another operator wrote the status.
 */
export async function goneFor(
  live: Client,
  backup: BackUp,
  runs: readonly Run[],
): Promise<readonly RunningEntry[]> {
  const { namespace = "" } = backup.metadata;
  const gone: RunningEntry[] = [];
  for (const entry of vanishedFrom(backup, runs)) {
    const { items } = await live.list(Job, { namespace, fieldSelector: `metadata.name=${entry.job}` });
    const isThere = items.some((job) => job.metadata.uid === entry.uid && controllerOf(job) !== undefined);
    if (!isThere) gone.push(entry);
  }
  return gone;
}
