import { expect, it } from "vitest";
import { closingLines } from "./summary.ts";

const counts = { passed: 3, failed: 1, skipped: 2 };
const leftOut = [{ level: "cluster", reason: "Go is missing" }] as const;

it("ends with the counts, after what was left out and why", () => {
  expect(closingLines(counts, leftOut, false)).toEqual([
    "left out: the cluster tests, because\nGo is missing\n",
    "3 passed, 1 failed, 2 skipped",
  ]);
});

it("says when leaving something out is a failure", () => {
  const [first] = closingLines(counts, leftOut, true);
  expect(first).toMatch(/^left out, which is a failure with KEELSON_REQUIRE_CLUSTER=1: the cluster tests/);
});

it("is the counts alone when nothing was left out", () => {
  expect(closingLines(counts, [], true)).toEqual(["3 passed, 1 failed, 2 skipped"]);
});
