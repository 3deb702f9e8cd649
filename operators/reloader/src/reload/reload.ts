import { TerminalError } from "keelson";
import type { Strategy } from "../decision/reload-policy.ts";
import type { Workload } from "../workload/workload.ts";
import { formatWorkload } from "../workload/workload-kind.ts";
import { reloadCronJob } from "./cron-job.ts";
import type { ReloadContext, ReloadRequest } from "./reload-request.ts";
import { isRestartedByEviction } from "./restart.ts";
import { restartRollout } from "./rollout.ts";
import { writeTemplate } from "./write-template.ts";

/**
 * How a workload is reloaded.
 *
 * | method | how | when it is recorded |
 * |---|---|---|
 * | `write` | `reload`, which shows on the workload what it was for | after it |
 * | `evict` | `restartStep` until it is done | before it, as `status.restart` |
 * | `recreate` | `beginRecreation`, then `continueRecreation` until it is done | by it, as `status.recreatedJob` |
 */
export type ReloadMethod = "write" | "evict" | "recreate";

/** How a workload is reloaded, by its kind and the strategy. */
export function methodOf({ kind }: Pick<Workload, "kind">, strategy: Strategy): ReloadMethod {
  if (kind === "Job") return "recreate";
  return strategy === "restart" && isRestartedByEviction(kind) ? "evict" : "write";
}

/**
 * Reloads a workload whose method is `write`. Throws a StaleObjectError or a ConflictError if it has changed since it was
 * read: the next reconcile reads it again.
 */
export async function reload(context: ReloadContext, request: ReloadRequest): Promise<void> {
  const { workload, strategy } = request;
  if (workload.kind === "CronJob") return reloadCronJob(context, request);
  if (workload.kind === "Rollout" && strategy === "restart") return restartRollout(context, request);
  if (workload.template === undefined)
    throw new TerminalError(
      `reload ${formatWorkload({ kind: workload.kind, ...workload.metadata })}: it has no pod template`,
    );
  return writeTemplate(context, request);
}
