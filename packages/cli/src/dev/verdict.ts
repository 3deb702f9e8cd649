import { formatTook } from "./age.ts";
import type { Row } from "./row.ts";

/** How far all samples are: `stuck` if those that are not settled say why they will not be. */
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
