import type { LeftOut } from "./levels.ts";

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What is counted of a test file; vitest's TestModule is one. */
export interface CountedModule {
  readonly children: {
    allTests(): Iterable<{ result(): { readonly state: keyof Counts | "pending" } }>;
  };
  ok(): boolean;
}

/**
 * Counts tests. A file that failed outside its tests, such as one that could not be loaded, counts as a failed test,
 * and so does each error that was thrown where no test could catch it.
 */
export function countTests(modules: readonly CountedModule[], unhandledErrors: readonly unknown[]): Counts {
  const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
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
