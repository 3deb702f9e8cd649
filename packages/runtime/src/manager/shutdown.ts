import { type Clock, toError } from "@keelson/core";
import type { Election } from "./election.ts";
import { GraceExceededError } from "./errors.ts";
import type { RunnableGroups } from "./runnable-groups.ts";
import { endsWithin } from "./within.ts";

export interface ShutdownOptions {
  readonly groups: RunnableGroups;
  readonly election: Election | undefined;
  readonly clock: Clock;
  /** 0 does not wait, a negative time is for ever. */
  readonly graceMs: number;
  readonly reason: unknown;
  /** Aborts, with the error, when nothing is to be waited for any more, as a leader has lost its lease [MG7]. */
  readonly lost: AbortSignal;
}

/** How a shutdown ended. */
export interface ShutdownResult {
  /** What was told to stop, had time for it, and has not ended; if nothing was waited for, all work that still runs. */
  readonly unfinished: readonly string[];
  readonly error: Error | undefined;
}

/**
 * Ends everything in order, and gives the Lease up after it [MG2]. What has not ended by the end of the grace is told to
 * end, too, and is left to itself: that is a GraceExceededError, unless nothing was to be waited for [MG3]. If the
 * lease is lost meanwhile it is the LeadershipLostError: what still runs may meet the next leader [MG7].
 */
export async function shutDown(options: ShutdownOptions): Promise<ShutdownResult> {
  const { groups, election, clock, graceMs, reason, lost } = options;
  const patience = (ending: Promise<unknown>): Promise<boolean> =>
    endsWithin(clock, graceMs / 2, ending, lost);
  const hasEnded = await endsWithin(clock, graceMs, groups.stopInOrder(reason, patience), lost);
  const late = groups.lingering;
  const isLost = lost.aborted;
  if (!hasEnded) groups.stopAtOnce(reason);
  // A successor must not lead while something of this leader still runs: then the Lease runs out by itself.
  await election?.end(reason, { release: groups.leaders.running.length === 0 });
  if (hasEnded) return { unfinished: [], error: undefined };
  if (isLost) return { unfinished: groups.work, error: toError(lost.reason) };
  if (graceMs === 0) return { unfinished: groups.work, error: undefined };
  return { unfinished: late, error: late.length === 0 ? undefined : new GraceExceededError(graceMs, late) };
}
