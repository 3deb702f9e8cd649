import type { TopologySpreadConstraint } from "@keelson/core/kinds/core/v1";
import { labelKeyProblems, labelSelectorProblems } from "../../resource/label-problems.ts";
import {
  duplicateValue,
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../given.ts";

type Constraint = Given<TopologySpreadConstraint>;

const actions = ["DoNotSchedule", "ScheduleAnyway"];
const nodePolicies = ["Honor", "Ignore"];

export function topologyProblems(
  constraints: readonly Constraint[] | undefined,
  field: string,
): readonly FieldProblem[] {
  return (constraints ?? []).flatMap((constraint, index, all) => {
    const place = indexed(field, index);
    return [
      ...ownProblems(constraint, place),
      ...repetitionProblems(constraint, all.slice(index + 1), place),
      ...minDomainsProblems(constraint, `${place}.minDomains`),
      ...policyProblems(constraint.nodeAffinityPolicy, `${place}.nodeAffinityPolicy`),
      ...policyProblems(constraint.nodeTaintsPolicy, `${place}.nodeTaintsPolicy`),
      ...labelKeysProblems(constraint, `${place}.matchLabelKeys`),
      ...labelSelectorProblems(constraint.labelSelector, `${place}.labelSelector`),
    ];
  });
}

function ownProblems(
  { maxSkew = 0, topologyKey = "", whenUnsatisfiable = "" }: Constraint,
  field: string,
): readonly FieldProblem[] {
  return [
    ...(maxSkew > 0 ? [] : [notPositive(maxSkew, `${field}.maxSkew`)]),
    ...(topologyKey === "" ? [required(`${field}.topologyKey`, "can not be empty")] : []),
    ...(actions.includes(whenUnsatisfiable)
      ? []
      : [notSupported(`${field}.whenUnsatisfiable`, whenUnsatisfiable, actions)]),
  ];
}

/** Two constraints may differ in their key or in what they do, but not only in the rest. */
function repetitionProblems(
  { topologyKey = "", whenUnsatisfiable = "" }: Constraint,
  others: readonly Constraint[],
  field: string,
): readonly FieldProblem[] {
  const isRepeated = others.some(
    (other) =>
      (other.topologyKey ?? "") === topologyKey && (other.whenUnsatisfiable ?? "") === whenUnsatisfiable,
  );
  const shown = `{${topologyKey}, ${whenUnsatisfiable}}`;
  return isRepeated ? [duplicateValue(`${field}.{topologyKey, whenUnsatisfiable}`, shown)] : [];
}

function minDomainsProblems(
  { minDomains, whenUnsatisfiable = "" }: Constraint,
  field: string,
): readonly FieldProblem[] {
  if (minDomains === undefined) return [];
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
  return [
    ...(minDomains > 0 ? [] : [notPositive(minDomains, field)]),
    ...(whenUnsatisfiable === "DoNotSchedule" ? [] : [invalidValue(field, minDomains, detail)]),
  ];
}

function policyProblems(policy: string | undefined, field: string): readonly FieldProblem[] {
  return policy === undefined || nodePolicies.includes(policy)
    ? []
    : [notSupported(field, policy, nodePolicies)];
}

function labelKeysProblems(
  { matchLabelKeys = [], labelSelector }: Constraint,
  field: string,
): readonly FieldProblem[] {
  if (matchLabelKeys.length === 0) return [];
  if (labelSelector === undefined) {
    return [forbiddenField(field, "must not be specified when labelSelector is not set")];
  }
  return matchLabelKeys.flatMap((key, index) => labelKeyProblems(key, indexed(field, index)));
}

function notPositive(value: number, field: string): FieldProblem {
  return invalidValue(field, value, "must be greater than zero");
}
