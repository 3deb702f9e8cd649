import {
  type Clock,
  ForeignObjectError,
  find,
  type ObjectKey,
  type ReconcileContext,
  type ReconcileResult,
  type Stored,
  TerminalError,
} from "keelson";
import type { CronJob } from "keelson/kinds/batch/v1";
import { apiVersionOf, toError } from "keelson/low-level";
import { writeStatus } from "keelson/object";
import { BackUp } from "../api/back-up.ts";
import { fieldOwner } from "../api/names.ts";
import type { BackUpStatus } from "../api/status.ts";
import { carryOut, type Hands } from "./carry-out.ts";
import { decide } from "./decide.ts";
import { recordProblem, recordRuns } from "./events.ts";
import { goneFor } from "./gone.ts";
import type { BackUpMetrics, MeasuredBackUp } from "./metrics.ts";
import { nextRunMs } from "./next-run.ts";
import type { Plan } from "./plan.ts";
import { type Problem, problemOf, problemOfSchedule } from "./problem.ts";
import { type Findings, statusOf } from "./status.ts";
import { gather, type World } from "./world.ts";

export interface Surroundings {
  readonly clock: Clock;
  readonly metrics: BackUpMetrics;
}

/** A timer that is due later than this is set again on the way. */
const longestWaitMs = 86_400_000;
/** Times are whole seconds, and intervals need not be. */
const shortestWaitMs = 1000;

/**
 * Brings the Jobs of a BackUp to where it wants them, and tells in its status what came of them: gather, decide, carry
 * out, and once at the end, whatever happened, the status.
 *
 * There is no finalizer: everything that a BackUp makes is in its namespace and owned by it, and so goes with it.
 */
export async function reconcile(
  context: ReconcileContext<ObjectKey>,
  { clock, metrics }: Surroundings,
): Promise<ReconcileResult> {
  const { key, client, liveClient, events, log } = context;
  const backup = await find(client, BackUp, key);
  if (backup === undefined) return metrics.forget(key);
  if (backup.metadata.deletionTimestamp !== undefined) return undefined;
  const before = await gather(client, backup);
  const plan = decide(backup, before);
  const { world, error } = await attempt({ client, liveClient, events }, backup, plan, before);
  const nowMs = clock.now();
  const problem = error === undefined ? problemOfSchedule(backup.spec, nowMs) : problemOf(error);
  const told = tellStatus(context, metrics, backup, { ...world, plan, problem, nowMs });
  if (error !== undefined) {
    // What went wrong first says more: it is what is reported, whatever becomes of the status.
    await told.catch((second: unknown) =>
      log.warn("the status could not be written either", { error: toError(second) }),
    );
    throw outcomeOf(error, problem);
  }
  const { hasMore } = await told;
  return hasMore ? { requeueAfterMs: 1 } : untilNextRun(backup, world.cronJob, nowMs);
}

/** Whether there is more to do at once, now that the status tells what came of this. */
async function tellStatus(
  context: ReconcileContext<ObjectKey>,
  metrics: BackUpMetrics,
  backup: Stored<BackUp>,
  found: Omit<Findings, "gone">,
): Promise<{ readonly hasMore: boolean }> {
  const { key, client, liveClient } = context;
  const gone = await goneFor(liveClient, backup, found.runs);
  const status = statusOf(backup, { ...found, gone });
  if (await writeStatus(client, BackUp, backup, status, { fieldOwner }))
    tell(context, backup, status, found.problem);
  metrics.show(key, measuredOf(backup, status));
  return { hasMore: found.plan.hasMore || gone.length > 0 };
}

function measuredOf({ metadata, spec }: BackUp, status: BackUpStatus): MeasuredBackUp {
  const { creationTimestamp } = metadata;
  return { status, creationTimestamp, suspend: spec.suspend, isScheduled: spec.schedule !== undefined };
}

interface Attempt {
  /** As it was found, or as it is after something was done. */
  readonly world: World;
  readonly error: Error | undefined;
}

async function attempt(hands: Hands, backup: Stored<BackUp>, plan: Plan, before: World): Promise<Attempt> {
  try {
    if (before.foreign !== undefined) throw before.foreign;
    const hasChanged = await carryOut(hands, backup, plan);
    return { world: hasChanged ? await gather(hands.client, backup) : before, error: undefined };
  } catch (error) {
    const waits = error instanceof ForeignObjectError && makesRoom(error, backup);
    return { world: before, error: waits ? undefined : toError(error) };
  }
}

/** What is on its way out is heard of when it is gone. So is what a former BackUp of this name had: it goes with that. */
function makesRoom({ isDeleting, controller }: ForeignObjectError, { metadata }: BackUp): boolean {
  if (isDeleting) return true;
  return (
    controller?.kind === BackUp.kind &&
    controller.apiVersion === apiVersionOf(BackUp) &&
    controller.name === metadata.name
  );
}

function tell(
  { events }: ReconcileContext<ObjectKey>,
  backup: Stored<BackUp>,
  { history = [] }: BackUpStatus,
  problem: Problem | undefined,
): void {
  const known = new Set(backup.status?.history?.map(({ uid }) => uid));
  recordRuns(
    events,
    backup,
    history.filter(({ uid }) => !known.has(uid)),
  );
  if (problem !== undefined) recordProblem(events, backup, problem);
}

function outcomeOf(error: Error, problem: Problem | undefined): Error {
  if (problem?.isTerminal !== true) return error;
  return new TerminalError(error.message, { cause: error });
}

/** The status says when the next run is due, and is out of date when it is. */
function untilNextRun({ spec }: BackUp, cronJob: CronJob | undefined, nowMs: number): ReconcileResult {
  const nextMs = nextRunMs(spec, cronJob, nowMs);
  if (nextMs === undefined) return undefined;
  return { requeueAfterMs: Math.min(Math.max(nextMs - nowMs, shortestWaitMs), longestWaitMs) };
}
