import { expect, it } from "vitest";
import { closingLines } from "./summary.ts";

it("ends with the counts, after what was left out and why", () => {
  expect(
    closingLines({ passed: 3, failed: 1, skipped: 2 }, [{ level: "cluster", reason: "Go is missing" }]),
  ).toEqual(["left out: the cluster tests, because\nGo is missing\n", "3 passed, 1 failed, 2 skipped"]);
});

it("is the counts alone when nothing was left out", () => {
  expect(closingLines({ passed: 3, failed: 0, skipped: 0 }, [])).toEqual(["3 passed, 0 failed, 0 skipped"]);
});
