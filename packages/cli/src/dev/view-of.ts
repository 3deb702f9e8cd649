import type { View } from "./display.ts";
import type { SampleBoard } from "./sample-board.ts";
import { summaryOf, verdictOf } from "./verdict.ts";

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
