import type {
  Affinity,
  NodeSelector,
  NodeSelectorTerm,
  PodAffinityTerm,
  Toleration,
  TopologySpreadConstraint,
} from "@keelson/core/kinds/core/v1";
import { labelKeyProblems, labelSelectorProblems } from "../../resource/label-problems.ts";
import { labelValueProblems } from "../../resource/name-problems.ts";
import {
  duplicateValue,
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../builtin-strategy.ts";
import { dnsLabel } from "../value-problems.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function effectProblems(effect: string, field: string): readonly FieldProblem[] {
  return effects.includes(effect) ? [] : [notSupported(field, effect, effects)];
}

export function tolerationsProblems(
  tolerations: readonly Given<Toleration>[] | undefined,
  field: string,
): readonly FieldProblem[] {
  return (tolerations ?? []).flatMap((toleration, index) =>
    tolerationProblems(toleration, indexed(field, index)),
  );
}

function tolerationProblems(toleration: Given<Toleration>, field: string): readonly FieldProblem[] {
  const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
  const problems: FieldProblem[] = key === "" ? [] : [...labelKeyProblems(key, `${field}.key`)];
  if (key === "" && operator !== "Exists") {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    problems.push(invalidValue(`${field}.operator`, operator, detail));
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    problems.push(invalidValue(`${field}.effect`, effect, detail));
  }
  if (operator === "" || operator === "Equal") {
    const wrong = labelValueProblems(value);
    if (wrong.length > 0) problems.push(invalidValue(`${field}.operator`, value, wrong.join(";")));
  } else if (operator === "Exists") {
    const detail = "value must be empty when `operator` is 'Exists'";
    if (value !== "") problems.push(invalidValue(`${field}.operator`, value, detail));
  } else if (operator === "Lt" || operator === "Gt") {
    problems.push(notSupported(`${field}.operator`, operator, ["Equal", "Exists", "Lt", "Gt"]));
  } else {
    problems.push(notSupported(`${field}.operator`, operator, ["Equal", "Exists"]));
  }
  if (effect !== "") problems.push(...effectProblems(effect, `${field}.effect`));
  return problems;
}

const requiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";
const preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution";

export function affinityProblems(
  affinity: Given<Affinity> | undefined,
  field: string,
): readonly FieldProblem[] {
  if (affinity === undefined) return [];
  const { nodeAffinity } = affinity;
  const needed = nodeAffinity?.[requiredTerms];
  const nodeField = `${field}.nodeAffinity`;
  const problems: FieldProblem[] = [];
  if (needed !== undefined) problems.push(...nodeSelectorProblems(needed, `${nodeField}.${requiredTerms}`));
  for (const [index, { weight = 0, preference = {} }] of (nodeAffinity?.[preferredTerms] ?? []).entries()) {
    const place = indexed(`${nodeField}.${preferredTerms}`, index);
    problems.push(...weightProblems(weight, `${place}.weight`));
    problems.push(...nodeTermProblems(preference, `${place}.preference`));
  }
  for (const kind of ["podAffinity", "podAntiAffinity"] as const) {
    problems.push(...podTermsProblems(affinity[kind], `${field}.${kind}`));
  }
  return problems;
}

/** Of pods and of PersistentVolumes. */
export function nodeSelectorProblems(
  { nodeSelectorTerms = [] }: Given<NodeSelector>,
  field: string,
): readonly FieldProblem[] {
  const place = `${field}.nodeSelectorTerms`;
  return [
    ...(nodeSelectorTerms.length === 0 ? [required(place, "must have at least one node selector term")] : []),
    ...nodeSelectorTerms.flatMap((term, index) => nodeTermProblems(term, indexed(place, index))),
  ];
}

function podTermsProblems(terms: Given<Affinity>["podAffinity"], field: string): readonly FieldProblem[] {
  const needed = terms?.[requiredTerms] ?? [];
  const preferred = terms?.[preferredTerms] ?? [];
  return [
    ...needed.flatMap((term, index) => podTermProblems(term, indexed(`${field}.${requiredTerms}`, index))),
    ...preferred.flatMap(({ weight = 0, podAffinityTerm = {} }, index) => {
      const place = indexed(`${field}.${preferredTerms}`, index);
      return [
        ...weightProblems(weight, `${place}.weight`),
        ...podTermProblems(podAffinityTerm, `${place}.podAffinityTerm`),
      ];
    }),
  ];
}

function podTermProblems(term: Given<PodAffinityTerm>, field: string): readonly FieldProblem[] {
  const { topologyKey = "", namespaces = [] } = term;
  return [
    ...namespaces.flatMap((namespace) => dnsLabel(namespace, `${field}.namespace`)),
    ...labelSelectorProblems(term.labelSelector, `${field}.labelSelector`),
    ...labelSelectorProblems(term.namespaceSelector, `${field}.namespaceSelector`),
    ...(topologyKey === "" ? [required(`${field}.topologyKey`, "can not be empty")] : []),
    ...labelKeyProblems(topologyKey, `${field}.topologyKey`),
  ];
}

function weightProblems(weight: number, field: string): readonly FieldProblem[] {
  return weight >= 1 && weight <= 100 ? [] : [invalidValue(field, weight, "must be in the range 1-100")];
}

function nodeTermProblems(term: Given<NodeSelectorTerm>, field: string): readonly FieldProblem[] {
  return [...labelTermProblems(term, field), ...fieldTermProblems(term, field)];
}

/** A field selector of nodes may only use `metadata.name`, with one value. */
function fieldTermProblems(term: Given<NodeSelectorTerm>, field: string): readonly FieldProblem[] {
  return (term.matchFields ?? []).flatMap(({ key = "", operator = "", values = [] }, index) => {
    const place = indexed(`${field}.matchFields`, index);
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    const problems: FieldProblem[] = [];
    if (operator !== "In" && operator !== "NotIn") {
      problems.push(invalidValue(`${place}.operator`, operator, "not a valid selector operator"));
    } else if (values.length !== 1) problems.push(required(`${place}.values`, detail));
    if (key !== "metadata.name") {
      problems.push(invalidValue(`${place}.key`, key, "not a valid field selector key"));
    }
    return problems;
  });
}

function labelTermProblems(term: Given<NodeSelectorTerm>, field: string): readonly FieldProblem[] {
  return (term.matchExpressions ?? []).flatMap(({ key = "", operator = "", values = [] }, index) => {
    const place = indexed(`${field}.matchExpressions`, index);
    return [...nodeOperatorProblems(operator, values, place), ...labelKeyProblems(key, `${place}.key`)];
  });
}

function nodeOperatorProblems(
  operator: string,
  values: readonly string[],
  field: string,
): readonly FieldProblem[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length === 0
        ? [required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")]
        : [];
    case "Exists":
    case "DoesNotExist":
      return values.length > 0
        ? [
            forbiddenField(
              `${field}.values`,
              "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
          ]
        : [];
    case "Gt":
    case "Lt":
      return values.length === 1
        ? []
        : [required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalidValue(`${field}.operator`, operator, "not a valid selector operator")];
  }
}

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
  earlier: readonly Constraint[],
  field: string,
): readonly FieldProblem[] {
  const isRepeated = earlier.some(
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
