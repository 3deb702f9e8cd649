import { QueueStuckError } from "./errors.ts";
import type { HealthCheck } from "./health-checks.ts";

/** How old the work of a queue is. The `UnfinishedWork` that a queue tells its observer of is one. */
export interface QueueAges {
  /** Since when the oldest item that a worker has is being worked on. */
  readonly longestMs: number;
  /** For how long the oldest ready item has been waiting. */
  readonly oldestReadyMs: number;
}

export interface QueueAgeOptions {
  /** Names the queue in the reason. */
  readonly name: string;
  /** Default 10 min. */
  readonly maxRunningMs?: number;
  /** Default 30 min: a long queue after a start is no fault. */
  readonly maxWaitingMs?: number;
}

/** Fails if an item has been worked on, or has been ready, for too long: workers hang, or there are too few. */
export function queueAge(
  read: () => QueueAges,
  { name, maxRunningMs = 600_000, maxWaitingMs = 1_800_000 }: QueueAgeOptions,
): HealthCheck {
  return () => {
    const { longestMs, oldestReadyMs } = read();
    if (longestMs > maxRunningMs)
      throw new QueueStuckError(name, `an item has been worked on for ${seconds(longestMs)}`);
    if (oldestReadyMs > maxWaitingMs)
      throw new QueueStuckError(name, `an item has been waiting for ${seconds(oldestReadyMs)}`);
  };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
