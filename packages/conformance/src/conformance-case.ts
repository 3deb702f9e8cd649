import type { Stage } from "./stage.ts";

/**
 * Something that a user may do to an API server. It is run on both servers; what it shows on its stage must be the same
 * on both, word by word, after what may differ (uids, times, versions, generated names) is given common names.
 */
export interface ConformanceCase {
  /** A sentence that says what happens; unique. */
  readonly name: string;
  run(stage: Stage): Promise<void>;
}

/** Cases that belong together. */
export interface CaseGroup {
  readonly title: string;
  readonly cases: readonly ConformanceCase[];
}

/** A case by its sentence and its steps. */
export function conforms(name: string, run: (stage: Stage) => Promise<void>): ConformanceCase {
  return { name, run };
}
