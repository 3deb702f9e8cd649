import { findCondition, type ObjectContext, type ReconcileResult } from "keelson";
import { ConditionType } from "../api/reasons.ts";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import type { ReloaderConfigStatus } from "../api/status.ts";
import type { ReloaderParts } from "../workload/parts.ts";
import type { AlertChecks } from "./alert-checks.ts";
import { observe } from "./gather.ts";
import { recordHashes } from "./record-hashes.ts";
import { statusOf } from "./status.ts";

/** Nothing is watched of a kind that is not served. */
const servedAgainMs = 60_000;

/** Brings the status of a ReloaderConfig to what is observed: one write, none if nothing differs. */
export async function reconcileConfig(
  context: ObjectContext<ReloaderConfig>,
  parts: ReloaderParts,
  alertChecks: AlertChecks,
): Promise<ReconcileResult> {
  const { object: config, setStatus } = context;
  if (config.metadata.deletionTimestamp !== undefined) return undefined;
  const observation = await observe(context, parts, alertChecks);
  const status = statusOf(observation);
  if (await setStatus(status)) showProblem(context, status);
  await recordHashes(context, parts);
  const isWaiting = observation.targets.some(({ presence }) => presence === "notServed");
  return isWaiting ? { requeueAfterMs: servedAgainMs } : undefined;
}

/** An Event for each problem that was not there before. */
function showProblem({ object, event }: ObjectContext<ReloaderConfig>, status: ReloaderConfigStatus): void {
  const degraded = findCondition(status.conditions, ConditionType.Degraded);
  const before = findCondition(object.status?.conditions, ConditionType.Degraded);
  if (degraded?.status !== "True" || degraded.message === before?.message) return;
  event("Warning", degraded.reason, degraded.message);
}
