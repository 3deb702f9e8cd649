import { describe, expect, it } from "vitest";
import { makeRow } from "../../test/support/rows.ts";
import { summaryOf, verdictOf } from "./verdict.ts";

const settled = makeRow("webapp/web");
const open = makeRow("backup/job", { isSettled: false });
const troubled = makeRow("backup/bad", { isSettled: false, problem: "no such image" });

describe("the verdict over the samples", () => {
  it.each([
    ["settled", []],
    ["settled", [settled, settled]],
    ["open", [settled, open]],
    ["open", [troubled, open]],
    ["stuck", [settled, troubled]],
  ])("is %s if that holds for all", (verdict, rows) => {
    expect(verdictOf(rows)).toBe(verdict);
  });

  it("is told in a line", () => {
    expect(summaryOf([], 0)).toBe("");
    expect(summaryOf([settled, open], 0)).toBe("1 of 2 samples settled");
    expect(summaryOf([settled, settled], 3_449)).toBe("all 2 samples are settled after 3.4 s");
    expect(summaryOf([settled], 900)).toBe("the sample is settled after 0.9 s");
  });
});
