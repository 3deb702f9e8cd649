import { describe, expect, test } from "vitest";
import { labelSelectorProblem } from "./label-selector-problem.ts";

describe("an invalid label selector", () => {
  test.each([
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["a in x", "unable to parse requirement: found 'x' expected: '('"],
    ["a,,", "found ',', expected: identifier after ','"],
    [")", "found ')', expected: !, identifier, or 'end of string'"],
    ["/a", 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
    ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a=(", "unable to parse requirement: found '(', expected: identifier"],
  ])("%j has the server's message", (selector, problem) => {
    expect(labelSelectorProblem(selector)).toBe(problem);
  });

  test.each(["", "a", "!a", "a=b,c!=d", "a in (b,c)", "a notin (,b)", "a>1"])("%j has none", (selector) => {
    expect(labelSelectorProblem(selector)).toBeUndefined();
  });
});
