/** When a run began and was last heard of; stands for the run, to tell one from another. */
export interface RunTimes {
  readonly beganAtMs: number;
  /** When it ended; while that is not known, when it last wrote. */
  endedAtMs: number;
}

/** Whether a run came as soon after an earlier one as a hold of that length lets it. */
export function isAtPace(run: RunTimes, earlier: RunTimes | undefined, longestGapMs: number): boolean {
  return earlier !== undefined && run.beganAtMs - earlier.endedAtMs <= longestGapMs;
}
