import { expect, it } from "vitest";
import { formatProblem } from "../../status/field-problem.ts";
import { matchConditionProblems } from "./webhook-configurations.ts";

const problemsOf = (...conditions: Parameters<typeof matchConditionProblems>[0]): readonly string[] =>
  matchConditionProblems(conditions, "c").map(formatProblem);

it("accepts named expressions about the request", () => {
  expect(problemsOf({ name: "a", expression: "object.metadata.name == 'b'" })).toEqual([]);
});

it("requires names and expressions, and unique names", () => {
  expect(problemsOf({ name: "", expression: " " })).toEqual([
    "c[0].expression: Required value",
    "c[0].name: Required value",
  ]);
  const one = { name: "a", expression: "true" };
  expect(problemsOf(one, one)).toEqual(['c[1].name: Duplicate value: "a"']);
});

it.each([
  ["object.", "1:8", "no viable alternative at input '.'"],
  ["object.a. == 1", "1:11", "no viable alternative at input '. =='"],
  ["object.1", "1:7", "extraneous input '.1' expecting <EOF>"],
])("reports where %s is not CEL", (expression, place, problem) => {
  expect(problemsOf({ name: "a", expression }).join()).toContain(
    `compilation failed: ERROR: <input>:${place}: Syntax error: ${problem}\n`,
  );
});
