import { sleep, systemClock } from "@keelson/core";
import { NotSettledError } from "./errors.ts";

const intervalMs = 20;

/** Waits until the condition holds, by asking again and again; throws a NotSettledError if that takes too long. */
export async function until(
  goal: string,
  condition: () => boolean | Promise<boolean>,
  { timeoutMs, everyMs = intervalMs }: { readonly timeoutMs: number; readonly everyMs?: number },
): Promise<void> {
  const startMs = systemClock.monotonicNow();
  while (!(await condition())) {
    const passedMs = systemClock.monotonicNow() - startMs;
    if (passedMs > timeoutMs) throw new NotSettledError(goal, Math.round(passedMs));
    await sleep(systemClock, everyMs);
  }
}
