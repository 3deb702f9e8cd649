import { type Clock, toError } from "@keelson/core";
import type { Logger } from "../logger.ts";
import type { Election } from "./election.ts";
import { GraceExceededError } from "./errors.ts";
import type { BufferedEvents } from "./manager-options.ts";
import type { RunnableGroups } from "./runnable-groups.ts";

export interface ShutdownOptions {
  readonly groups: RunnableGroups;
  readonly election: Election | undefined;
  readonly clock: Clock;
  /** 0 does not wait; a negative grace period has no end. */
  readonly graceMs: number;
  readonly reason: unknown;
  /** Aborts, with the error, when the leader has lost its Lease and the shutdown must not wait any longer [MG7]. */
  readonly lost: AbortSignal;
}

/** How a shutdown ended. */
export interface ShutdownResult {
  /** The runnables that were stopped, had time to end, and still run; without a wait, all runnables that still run. */
  readonly unfinished: readonly string[];
  readonly error: Error | undefined;
}

/**
 * Stops everything in order, and then releases the Lease [MG2]. Runnables that have not ended by the end of the grace
 * period are abandoned: that is a GraceExceededError, unless the grace period is 0 [MG3]. If the Lease is lost meanwhile,
 * the error is the LeadershipLostError: a runnable that still runs may overlap with the next leader [MG7].
 */
export async function shutDown(options: ShutdownOptions): Promise<ShutdownResult> {
  const { groups, election, clock, graceMs, reason, lost } = options;
  const waitForReplica = (ending: Promise<unknown>): Promise<boolean> =>
    endsWithin(clock, graceMs / 2, ending, lost);
  const hasEnded = await endsWithin(clock, graceMs, groups.stopInOrder(reason, waitForReplica), lost);
  const unfinished = groups.unfinished;
  const isLost = lost.aborted;
  if (!hasEnded) groups.stopAtOnce(reason);
  // The next leader must not start while a runnable of this one still runs: then the Lease is left to expire.
  await election?.end(reason, { release: groups.leader.running.length === 0 });
  if (hasEnded) return { unfinished: [], error: undefined };
  if (isLost) return { unfinished: groups.runningWork, error: toError(lost.reason) };
  if (graceMs === 0) return { unfinished: groups.runningWork, error: undefined };
  return {
    unfinished,
    error: unfinished.length === 0 ? undefined : new GraceExceededError(graceMs, unfinished),
  };
}

/**
 * Whether the promise settles within the time and before the signal aborts. A time of 0 does not wait; a negative time
 * has no end [MG3].
 */
export async function endsWithin(
  clock: Clock,
  ms: number,
  promise: Promise<unknown>,
  signal: AbortSignal,
): Promise<boolean> {
  if (ms === 0 || signal.aborted) return false;
  const { promise: ended, resolve } = Promise.withResolvers<boolean>();
  const giveUp = (): void => resolve(false);
  const cancel = ms < 0 ? () => undefined : clock.schedule(ms, giveUp);
  signal.addEventListener("abort", giveUp, { once: true });
  promise.then(
    () => resolve(true),
    () => resolve(true),
  );
  try {
    return await ended;
  } finally {
    cancel();
    signal.removeEventListener("abort", giveUp);
  }
}

/** How long the last Events may take to be sent. */
const flushMs = 5_000;

/** Sends the last Events, including those about the end of the leadership, and stops the recorder. Never rejects. */
export async function flushEvents(events: BufferedEvents, clock: Clock, log: Logger): Promise<void> {
  const limit = new AbortController();
  const cancel = clock.schedule(flushMs, () => limit.abort(new Error("sending the Events took too long")));
  try {
    await events.flush(limit.signal);
  } catch (error) {
    log.warn("the last Events could not be sent", { error: toError(error) });
  } finally {
    cancel();
  }
  await events.stop();
}
