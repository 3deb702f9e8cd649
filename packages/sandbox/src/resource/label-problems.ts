import type { LabelSelector } from "@keelson/core";
import {
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  required,
} from "../status/field-problem.ts";
import { labelValueProblems, qualifiedNameProblems } from "./name-problems.ts";

type Labels = Readonly<Record<string, string>>;

/** Problems of labels, or of maps with the same rules: node selectors, selectors of services. */
export function labelsProblems(labels: Labels | undefined, field: string): readonly FieldProblem[] {
  if (labels === undefined) return [];
  const problems: FieldProblem[] = [];
  for (const [key, value] of Object.entries(labels)) {
    problems.push(...labelKeyProblems(key, field));
    for (const detail of labelValueProblems(value)) problems.push(invalidValue(field, value, detail));
  }
  return problems;
}

export function labelKeyProblems(key: string, field: string): readonly FieldProblem[] {
  return qualifiedNameProblems(key).map((detail) => invalidValue(field, key, detail));
}

/** A selector from a client: operators may be unknown, keys missing. */
export interface GivenLabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly GivenRequirement[];
}

interface GivenRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

export function labelSelectorProblems(
  selector: GivenLabelSelector | undefined,
  field: string,
): readonly FieldProblem[] {
  if (selector === undefined) return [];
  return [
    ...labelsProblems(selector.matchLabels, `${field}.matchLabels`),
    ...(selector.matchExpressions ?? []).flatMap((requirement, index) =>
      requirementProblems(requirement, indexed(`${field}.matchExpressions`, index)),
    ),
  ];
}

function requirementProblems(requirement: GivenRequirement, field: string): readonly FieldProblem[] {
  const { key = "", operator = "", values = [] } = requirement;
  const problems: FieldProblem[] = [];
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      problems.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      problems.push(forbiddenField(`${field}.values`, detail));
    }
  } else {
    problems.push(invalidValue(`${field}.operator`, operator, "not a valid selector operator"));
  }
  problems.push(...labelKeyProblems(key, `${field}.key`));
  for (const [index, value] of values.entries()) {
    for (const detail of labelValueProblems(value)) {
      problems.push(invalidValue(indexed(`${field}.values`, index), value, detail));
    }
  }
  return problems;
}

/** The selector if it is valid, else undefined. */
export function usableSelector(selector: GivenLabelSelector | undefined): LabelSelector | undefined {
  if (selector === undefined || labelSelectorProblems(selector, "").length > 0) return undefined;
  const { matchLabels, matchExpressions } = selector;
  return {
    ...(matchLabels === undefined ? {} : { matchLabels }),
    ...(matchExpressions === undefined ? {} : { matchExpressions: matchExpressions.flatMap(requirementOf) }),
  };
}

function requirementOf({
  key = "",
  operator,
  values,
}: GivenRequirement): NonNullable<LabelSelector["matchExpressions"]> {
  switch (operator) {
    case "In":
    case "NotIn":
    case "Exists":
    case "DoesNotExist":
      return [{ key, operator, ...(values === undefined ? {} : { values }) }];
    default:
      return [];
  }
}
