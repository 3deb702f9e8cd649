import {
  ForeignObjectError,
  type ObjectContext,
  type ReconcileResult,
  type Stored,
  TerminalError,
} from "keelson";
import type { CronJob } from "keelson/kinds/batch/v1";
import { apiVersionOf, toError } from "keelson/low-level";
import { BackUp } from "../api/back-up.ts";
import type { BackUpStatus } from "../api/status.ts";
import { type ActualState, gatherState } from "./actual-state.ts";
import { decide } from "./decide.ts";
import { recordProblem, recordRuns } from "./events.ts";
import { execute } from "./execute.ts";
import type { BackUpMetrics, MeasuredBackUp } from "./metrics.ts";
import { nextRunMs } from "./next-run.ts";
import type { Plan } from "./plan.ts";
import { problemOf, problemOfSchedule } from "./problem.ts";
import { type Observation, statusOf } from "./status.ts";
import { findVanishedRuns } from "./vanished-runs.ts";

/** A timer that is due later than this is set again in between. */
const longestWaitMs = 86_400_000;
/** Times in the status are whole seconds, and intervals of a schedule may be shorter. */
const shortestWaitMs = 1000;

/**
 * Brings the Jobs of a BackUp to the desired state, and its status to what they are: gather, decide, execute, and at the
 * end one write of the status, also after an error.
 *
 * There is no finalizer: everything that a BackUp creates is in its namespace and has an owner reference to it, so the
 * garbage collector deletes it.
 */
export async function reconcileBackUp(
  context: ObjectContext<BackUp>,
  metrics: BackUpMetrics,
): Promise<ReconcileResult> {
  const { object: backup, clock, log } = context;
  if (backup.metadata.deletionTimestamp !== undefined) return undefined;
  const before = await gatherState(context);
  const plan = decide(backup, before);
  const { state, error } = await attempt(context, plan, before);
  const nowMs = clock.now();
  const problem = error === undefined ? problemOfSchedule(backup.spec, nowMs) : problemOf(error);
  const updated = updateStatus(context, metrics, { ...state, plan, problem, nowMs });
  if (error !== undefined) {
    const isShown = await updated.then(
      () => true,
      (second: unknown) => {
        log.warn("the status could not be written either", { error: toError(second) });
        return false;
      },
    );
    // The first error is the cause. It ends the retries only if the status shows it.
    throw problem?.severity === "terminal" && isShown
      ? new TerminalError(error.message, { cause: error })
      : error;
  }
  const { hasMore } = await updated;
  return hasMore ? { requeueAfterMs: 1 } : untilNextRun(backup, state.cronJob, nowMs);
}

/** Returns whether there is more to do at once, now that the status records the runs. */
async function updateStatus(
  context: ObjectContext<BackUp>,
  metrics: BackUpMetrics,
  observation: Omit<Observation, "vanished">,
): Promise<{ readonly hasMore: boolean }> {
  const { key, object: backup, setStatus } = context;
  const { runs, plan, problem } = observation;
  const vanished = await findVanishedRuns(context, runs);
  const status = statusOf(backup, { ...observation, vanished });
  if (await setStatus(status)) {
    recordRuns(context, status);
    if (problem !== undefined && problem.severity !== "passing") recordProblem(context, problem);
  }
  metrics.show(key, measuredOf(backup, status));
  return { hasMore: plan.hasMore || vanished.length > 0 };
}

function measuredOf({ metadata, spec }: Stored<BackUp>, status: BackUpStatus): MeasuredBackUp {
  const { creationTimestamp } = metadata;
  return { status, creationTimestamp, suspend: spec.suspend, isScheduled: spec.schedule !== undefined };
}

interface Attempt {
  /** As it was before, or as it is after the plan changed something. */
  readonly state: ActualState;
  readonly error: Error | undefined;
}

async function attempt(context: ObjectContext<BackUp>, plan: Plan, before: ActualState): Promise<Attempt> {
  try {
    if (before.foreign !== undefined) throw before.foreign;
    const hasChanged = await execute(context, plan);
    return { state: hasChanged ? await gatherState(context) : before, error: undefined };
  } catch (error) {
    const waits = error instanceof ForeignObjectError && isBecomingFree(error, context.object);
    return { state: before, error: waits ? undefined : toError(error) };
  }
}

/**
 * Whether the foreign object will be deleted without an action of a user, which enqueues the BackUp: it is being deleted, or
 * an earlier BackUp of this name controls it.
 */
function isBecomingFree({ isDeleting, controller }: ForeignObjectError, { metadata }: BackUp): boolean {
  if (isDeleting) return true;
  return (
    controller?.kind === BackUp.kind &&
    controller.apiVersion === apiVersionOf(BackUp) &&
    controller.name === metadata.name
  );
}

/** The status contains the time of the next run, so it changes when that run is due. */
function untilNextRun({ spec }: BackUp, cronJob: CronJob | undefined, nowMs: number): ReconcileResult {
  const nextMs = nextRunMs(spec, cronJob, nowMs);
  if (nextMs === undefined) return undefined;
  return { requeueAfterMs: Math.min(Math.max(nextMs - nowMs, shortestWaitMs), longestWaitMs) };
}
