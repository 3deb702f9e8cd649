import type { JobSpec, SuccessPolicyRule } from "@keelson/core/kinds/batch/v1";
import { type FieldProblem, indexed, invalidValue, required, tooMany } from "../../status/field-problem.ts";
import type { Given } from "../given.ts";
import { nonNegative } from "../value-problems.ts";

const mostRules = 20;

/** When a job has succeeded before all its pods have. */
export function successPolicyProblems(
  { successPolicy, completionMode, completions = 0 }: Given<JobSpec>,
  field: string,
): readonly FieldProblem[] {
  if (successPolicy === undefined) return [];
  const rules = successPolicy.rules ?? [];
  if (completionMode !== "Indexed") {
    const printed = rules.map(({ succeededIndexes = null, succeededCount = null }) => ({
      SucceededIndexes: succeededIndexes,
      SucceededCount: succeededCount,
    }));
    const policy = { Rules: successPolicy.rules ? printed : null };
    return [invalidValue(field, policy, "requires indexed completion mode")];
  }
  const place = `${field}.rules`;
  const none = "at least one rules must be specified when the successPolicy is specified";
  return [
    ...(rules.length === 0 ? [required(place, none)] : []),
    ...(rules.length > mostRules ? [tooMany(place, rules.length, mostRules)] : []),
    ...rules.flatMap((rule, index) => ruleProblems(rule, completions, indexed(place, index))),
  ];
}

function ruleProblems(
  { succeededCount: count, succeededIndexes: indexes }: Given<SuccessPolicyRule>,
  completions: number,
  field: string,
): readonly FieldProblem[] {
  if (count === undefined && indexes === undefined) {
    return [required(field, "at least one of succeededCount or succeededIndexes must be specified")];
  }
  const problems: FieldProblem[] = [];
  const counted = indexes === undefined ? 0 : countIndexes(indexes, completions);
  if (typeof counted === "string") {
    const detail = `error parsing succeededIndexes: ${counted}`;
    problems.push(invalidValue(`${field}.succeededIndexes`, indexes, detail));
  }
  if (count === undefined) return problems;
  const place = `${field}.succeededCount`;
  problems.push(...nonNegative(count, place));
  if (count > completions) {
    const detail = `must be less than or equal to ${completions} (the number of specified completions)`;
    problems.push(invalidValue(place, count, detail));
  }
  const total = typeof counted === "string" ? 0 : counted;
  if (indexes !== undefined && count > total) {
    const what = "the number of indexes in the specified succeededIndexes field";
    problems.push(invalidValue(place, count, `must be less than or equal to ${total} (${what})`));
  }
  return problems;
}

/** How many indexes a text such as `0,2-4` names, or why it names none. */
function countIndexes(text: string, completions: number): number | string {
  if (text === "") return 0;
  let total = 0;
  let previous: number | undefined;
  for (const interval of text.split(",")) {
    const parts = interval.split("-");
    if (parts.length > 2) {
      return `the fragment ${JSON.stringify(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`;
    }
    for (const part of parts) {
      const name = JSON.stringify(part);
      if (!/^\+?\d+$/.test(part)) return `cannot convert string to integer for index: ${name}`;
      if (Number(part) >= completions) return `too large index: ${name}`;
    }
    const [first = 0, last = first] = parts.map(Number);
    if (parts.length > 1 && first >= last) return notIncreasing(first, last);
    if (previous !== undefined && previous >= first) return notIncreasing(previous, first);
    total += last - first + 1;
    previous = last;
  }
  return total;
}

function notIncreasing(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}
