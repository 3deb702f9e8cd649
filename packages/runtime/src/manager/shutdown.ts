import type { Clock } from "@keelson/core";
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
  /** Aborts when nothing is to be waited for any more, as the lease is lost [MG7]. */
  readonly lost: AbortSignal;
}

/**
 * Ends everything in order, and gives the Lease up after it [MG2]. What has not ended by the end of the grace is told to
 * end, too, and is left to itself: gives a GraceExceededError that names it, unless nothing was to be waited for [MG3].
 */
export async function shutDown(options: ShutdownOptions): Promise<GraceExceededError | undefined> {
  const { groups, election, clock, graceMs, reason, lost } = options;
  const hasEnded = await endsWithin(clock, graceMs, groups.stopInOrder(reason), lost);
  const unfinished = hasEnded ? [] : groups.running;
  if (!hasEnded) groups.stopAtOnce(reason);
  // A successor must not lead while something of this leader still runs: then the Lease runs out by itself.
  await election?.end(reason, { release: groups.leaders.running.length === 0 });
  const isLate = unfinished.length > 0 && graceMs > 0 && !lost.aborted;
  return isLate ? new GraceExceededError(graceMs, unfinished) : undefined;
}
