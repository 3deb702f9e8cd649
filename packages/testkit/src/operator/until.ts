import { type Clock, sleep, systemClock } from "@keelson/core";
import { NotSettledError } from "./errors.ts";
import type { OperatorProblem } from "./problem-log.ts";

const intervalMs = 20;

export interface UntilOptions {
  readonly timeoutMs: number;
  readonly everyMs?: number;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Why the condition may not hold, for the error. */
  readonly problems?: () => readonly OperatorProblem[];
}

/** Waits until the condition holds, by testing it again and again; throws a NotSettledError if that takes too long. */
export async function until(
  goal: string,
  condition: () => boolean | Promise<boolean>,
  { timeoutMs, everyMs = intervalMs, clock = systemClock, problems = () => [] }: UntilOptions,
): Promise<void> {
  const startMs = clock.monotonicNow();
  while (!(await condition())) {
    const passedMs = clock.monotonicNow() - startMs;
    if (passedMs > timeoutMs) throw new NotSettledError(goal, Math.round(passedMs), problems());
    await sleep(clock, everyMs);
  }
}
