import type { TestModule } from "vitest/node";
import type { LeftOut } from "./levels.ts";

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Counts tests. A file that could not be loaded has no tests and counts as one that failed. */
export function countTests(modules: readonly TestModule[]): Counts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const module of modules) {
    const states = [...module.children.allTests()].map((test) => test.result().state);
    for (const state of states) counts[state === "pending" ? "skipped" : state] += 1;
    if (!module.ok() && !states.includes("failed")) counts.failed += 1;
  }
  return counts;
}

/** The last lines of a run: what was left out, why, and what that means; then the counts. */
export function closingLines(
  { passed, failed, skipped }: Counts,
  leftOut: readonly LeftOut[],
  isRequired: boolean,
): readonly string[] {
  const verdict = isRequired ? "left out, which is a failure with KEELSON_REQUIRE_CLUSTER=1" : "left out";
  const missing = leftOut.map(({ level, reason }) => `${verdict}: the ${level} tests, because\n${reason}\n`);
  return [...missing, `${passed} passed, ${failed} failed, ${skipped} skipped`];
}
