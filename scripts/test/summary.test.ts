import { describe, expect, it } from "vitest";
import { type CountedModule, closingLines, countTests } from "./summary.ts";

type State = "passed" | "failed" | "skipped" | "pending";

function module(ok: boolean, ...states: State[]): CountedModule {
  return {
    ok: () => ok,
    children: { allTests: () => states.map((state) => ({ result: () => ({ state }) })) },
  };
}

describe("the counts", () => {
  it("add up the tests of all files, with those that never ran as skipped", () => {
    const modules = [
      module(true, "passed", "passed", "skipped"),
      module(false, "passed", "failed", "pending"),
    ];
    expect(countTests(modules, [])).toEqual({ passed: 3, failed: 1, skipped: 2 });
  });

  it("have a file that could not be loaded as failed", () => {
    expect(countTests([module(true, "passed"), module(false)], [])).toEqual({
      passed: 1,
      failed: 1,
      skipped: 0,
    });
  });

  it("have a file as failed whose hook fails after its tests have passed", () => {
    expect(countTests([module(false, "passed")], [])).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  it("have every error as failed that no test caught", () => {
    const errors = [new Error("late"), "rejected"];
    expect(countTests([module(true, "passed", "passed")], errors)).toEqual({
      passed: 2,
      failed: 2,
      skipped: 0,
    });
  });
});

const counts = { passed: 3, failed: 1, skipped: 2 };
const leftOut = [{ level: "cluster", reason: "Go is missing" }] as const;

it("ends with the counts, after what was left out and why", () => {
  expect(closingLines(counts, leftOut, false)).toEqual([
    "left out: the cluster tests, because\nGo is missing\n",
    "3 passed, 1 failed, 2 skipped",
  ]);
});

it("reports when leaving something out is a failure", () => {
  const [first] = closingLines(counts, leftOut, true);
  expect(first).toMatch(/^left out, which is a failure with KEELSON_REQUIRE_CLUSTER=1: the cluster tests/);
});

it("is the counts alone when nothing was left out", () => {
  expect(closingLines(counts, [], true)).toEqual(["3 passed, 1 failed, 2 skipped"]);
});
