import { expect, test } from "vitest";
import { formatProblem } from "../../status/field-problem.ts";
import { limitsProblems } from "./limit-range.ts";
import { quotaProblems } from "./quota-validation.ts";

test("a default that is out of bounds is reported with the bound, not with the default", () => {
  const limit = { type: "Container", min: { cpu: "2" }, default: { cpu: "1" } };
  expect(limitsProblems([limit]).map(formatProblem)).toEqual([
    'spec.limits[0].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
  ]);
});

test("a ratio of limits to requests fits between the bounds", () => {
  const limit = {
    type: "Container",
    min: { cpu: "1" },
    max: { cpu: "2" },
    maxLimitRequestRatio: { cpu: "3" },
  };
  expect(limitsProblems([limit]).map(formatProblem)).toEqual([
    'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000',
  ]);
});

test("the defaults of what cannot be overcommitted are the same", () => {
  const limit = { type: "Container", default: { "a.b/c": "2" }, defaultRequest: { "a.b/c": "1" } };
  expect(limitsProblems([limit]).map(formatProblem)).toEqual([
    'spec.limits[0].defaultRequest[a.b/c]: Invalid value: "1": default value 2 must equal to defaultRequest value 1 in a.b/c',
  ]);
});

test("a quota counts in whole numbers what is counted", () => {
  expect(quotaProblems({ hard: { pods: "1500m", cpu: "1500m" } }).map(formatProblem)).toEqual([
    'spec.hard[pods]: Invalid value: "1500m": must be an integer',
  ]);
});

test("a quota has no scopes that do not apply to its resources, and none that exclude each other", () => {
  const scopes = ["BestEffort", "NotBestEffort"];
  expect(quotaProblems({ hard: { cpu: "1" }, scopes }).map(({ detail }) => detail)).toEqual([
    "unsupported scope applied to resource",
    "conflicting scopes",
  ]);
});
