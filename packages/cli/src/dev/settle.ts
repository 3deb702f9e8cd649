import type { View } from "./display.ts";
import { NotSettledError } from "./errors.ts";
import { formatTook } from "./format.ts";
import type { Row } from "./row.ts";
import type { SampleBoard } from "./sample-board.ts";

export interface SettleOptions {
  /** When the samples began to settle; the time is over `timeoutMs` later. */
  readonly sinceMs: number;
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
 * have had a problem for a while; the signal's reason as soon as it aborts.
 */
export async function waitUntilSettled(
  board: Pick<SampleBoard, "look">,
  { sinceMs, timeoutMs, stuckMs, nowMs, signal }: SettleOptions,
): Promise<void> {
  let stuckSinceMs: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const { samples } = board.look();
    const verdict = verdictOf(samples);
    if (verdict === "settled") return;
    const tookMs = nowMs() - sinceMs;
    stuckSinceMs = verdict === "stuck" ? (stuckSinceMs ?? nowMs()) : undefined;
    const isStuck = stuckSinceMs !== undefined && nowMs() - stuckSinceMs >= stuckMs;
    if (isStuck || tookMs >= timeoutMs) throw new NotSettledError(samples, { tookMs, isStuck });
    await new Promise<void>((resolve) => void setTimeout(resolve, lookMs));
  }
}

/** How far all samples are: `stuck` if those that are not settled report why they will not be. */
export type Verdict = "settled" | "stuck" | "open";

export function verdictOf(samples: readonly Row[]): Verdict {
  const open = samples.filter(({ isSettled }) => !isSettled);
  if (open.length === 0) return "settled";
  return open.every(({ problem }) => problem !== undefined) ? "stuck" : "open";
}

/** In a line for people. */
export function summaryOf(samples: readonly Row[], tookMs: number): string {
  const settled = samples.filter(({ isSettled }) => isSettled).length;
  const count = samples.length;
  if (count === 0) return "";
  if (settled < count) return `${settled} of ${count} samples settled`;
  return `${count === 1 ? "the sample is" : `all ${count} samples are`} settled after ${formatTook(tookMs)}`;
}

/** What is shown of a board, with how long the samples took to settle since they last were not. */
export function viewOf(board: Pick<SampleBoard, "look">, nowMs: () => number): () => View {
  let sinceMs = nowMs();
  let tookMs: number | undefined;
  return () => {
    const { all, samples } = board.look();
    if (verdictOf(samples) !== "settled") {
      if (tookMs !== undefined) sinceMs = nowMs();
      tookMs = undefined;
    } else tookMs ??= nowMs() - sinceMs;
    return { rows: all, summary: summaryOf(samples, tookMs ?? 0) };
  };
}
