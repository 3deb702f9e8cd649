import { expect, test } from "vitest";
import { formatProblem } from "../../status/field-problem.ts";
import { successPolicyProblems } from "./job-policy-validation.ts";

function problemOf(succeededIndexes: string, succeededCount?: number): string | undefined {
  const rule = { succeededIndexes, ...(succeededCount === undefined ? {} : { succeededCount }) };
  const spec = { completionMode: "Indexed", completions: 5, successPolicy: { rules: [rule] } };
  return successPolicyProblems(spec, "f")[0]?.detail;
}

test("indexes are single ones and intervals, in order", () => {
  expect(problemOf("0,2-4", 4)).toBeUndefined();
  expect(problemOf("")).toBeUndefined();
  expect(problemOf("0-9")).toBe('error parsing succeededIndexes: too large index: "9"');
  expect(problemOf("1,0")).toContain("non-increasing order, previous: 1, current: 0");
  expect(problemOf("3-3")).toContain("non-increasing order, previous: 3, current: 3");
  expect(problemOf("-1")).toContain('cannot convert string to integer for index: ""');
  expect(problemOf("0-1-2")).toContain('the fragment "0-1-2" violates the requirement');
});

test("no more pods must succeed than there are indexes", () => {
  expect(problemOf("0,2-3", 4)).toBe(
    "must be less than or equal to 3 (the number of indexes in the specified succeededIndexes field)",
  );
});

test("a job that counts no indexes has no such policy", () => {
  const problems = successPolicyProblems({ successPolicy: { rules: [{ succeededCount: 1 }] } }, "f");
  expect(problems.map(formatProblem)).toEqual([
    'f: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: requires indexed completion mode',
  ]);
});
