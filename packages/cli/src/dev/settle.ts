import { NotSettledError } from "./errors.ts";
import type { SampleBoard } from "./sample-board.ts";
import { verdictOf } from "./verdict.ts";

export interface SettleOptions {
  readonly timeoutMs: number;
  /** How long problems that will not go away by themselves may last, in case they do. */
  readonly stuckMs: number;
  /** Milliseconds since some fixed moment. */
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

const lookMs = 50;

/**
 * Waits until all samples are settled. Throws a NotSettledError when the time is over, or when all that are not settled
 * have told for a while why they will not be; the signal's reason as soon as it aborts.
 */
export async function waitUntilSettled(
  board: Pick<SampleBoard, "look">,
  { timeoutMs, stuckMs, nowMs, signal }: SettleOptions,
): Promise<void> {
  const startMs = nowMs();
  let stuckSinceMs: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const { samples } = board.look();
    const verdict = verdictOf(samples);
    if (verdict === "settled") return;
    const tookMs = nowMs() - startMs;
    stuckSinceMs = verdict === "stuck" ? (stuckSinceMs ?? nowMs()) : undefined;
    const isStuck = stuckSinceMs !== undefined && nowMs() - stuckSinceMs >= stuckMs;
    if (isStuck || tookMs >= timeoutMs) throw new NotSettledError(samples, { tookMs, isStuck });
    await new Promise<void>((resolve) => void setTimeout(resolve, lookMs));
  }
}
