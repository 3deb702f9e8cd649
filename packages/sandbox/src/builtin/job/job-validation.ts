import { matchesLabels } from "@keelson/core";
import type { Job, JobSpec, PodFailurePolicyRule } from "@keelson/core/kinds/batch/v1";
import { labelSelectorProblems, usableSelector } from "../../resource/label-problems.ts";
import { dnsLabelProblems } from "../../resource/name-problems.ts";
import {
  type FieldProblem,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given, GivenObject } from "../given.ts";
import { podTemplateProblems } from "../pod/pod-spec-validation.ts";
import { nonNegativeFields } from "../value-problems.ts";
import { inOrder } from "../workload/selector-and-template.ts";

type GivenSpec = Given<JobSpec>;

export function jobProblems(job: GivenObject<Job>): readonly FieldProblem[] {
  const { spec = {}, metadata } = job;
  const { selector, completions = 0, completionMode } = spec;
  const problems: FieldProblem[] = [...generatedSelectorProblems(job), ...jobSpecProblems(spec, "spec")];
  if (selector === undefined) problems.push(required("spec.selector"));
  problems.push(...labelSelectorProblems(selector, "spec.selector"));
  const usable = usableSelector(selector);
  const labels = spec.template?.metadata?.labels;
  if (selector === undefined || (usable !== undefined && !matchesLabels(usable, labels))) {
    const detail = "`selector` does not match template `labels`";
    problems.push(invalidValue("spec.template.metadata.labels", inOrder(labels), detail));
  }
  if (completionMode === "Indexed" && completions > 0) {
    const hostname = `${metadata.name ?? ""}-${completions - 1}`;
    if (dnsLabelProblems(hostname).length > 0) {
      const detail = `will not able to create pod with invalid DNS label: ${hostname}`;
      problems.push(invalidValue("metadata.name", metadata.name ?? "", detail));
    }
  }
  return problems;
}

/** Selectors that the server made must still be the ones it makes. */
function generatedSelectorProblems({ spec = {}, metadata }: GivenObject<Job>): readonly FieldProblem[] {
  if (spec.manualSelector === true || spec.selector === undefined) return [];
  const { uid = "", name = "" } = metadata;
  const expected = {
    "controller-uid": uid,
    "job-name": name,
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
  };
  const labels = spec.template?.metadata?.labels ?? {};
  const field = "spec.template.metadata.labels";
  const problems = Object.entries(expected).flatMap(([key, value]) => {
    const actual = labels[key];
    if (actual === undefined) return [required(`${field}[${key}]`, `must be '${value}'`)];
    return actual === value ? [] : [invalidValue(`${field}[${key}]`, labels, `must be '${value}'`)];
  });
  const usable = usableSelector(spec.selector);
  return usable === undefined || matchesLabels(usable, expected)
    ? problems
    : [...problems, invalidValue("spec.selector", spec.selector, "`selector` not auto-generated")];
}

/** Of a job, or of a template of jobs. */
export function jobSpecProblems(spec: GivenSpec, field: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [
    ...nonNegativeFields(spec, field, [
      "parallelism",
      "completions",
      "activeDeadlineSeconds",
      "backoffLimit",
      "ttlSecondsAfterFinished",
      "backoffLimitPerIndex",
      "maxFailedIndexes",
    ]),
  ];
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    problems.push(required(`${field}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  }
  problems.push(...completionModeProblems(spec, field));
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    problems.push(...failureRuleProblems(rule, spec, indexed(`${field}.podFailurePolicy.rules`, index)));
  }
  problems.push(...replacementProblems(spec, `${field}.podReplacementPolicy`));
  problems.push(...podTemplateProblems(spec.template ?? {}, `${field}.template`));
  return [...problems, ...restartProblems(spec, `${field}.template.spec.restartPolicy`)];
}

function completionModeProblems(spec: GivenSpec, field: string): readonly FieldProblem[] {
  const { completionMode: mode, completions, parallelism = 0, backoffLimitPerIndex, maxFailedIndexes } = spec;
  if (mode === "Indexed") {
    const tooMany = "must be less than or equal to 100000";
    return [
      ...(completions === undefined
        ? [required(`${field}.completions`, "when completion mode is Indexed")]
        : []),
      ...(parallelism > 100_000
        ? [invalidValue(`${field}.parallelism`, parallelism, `${tooMany} when completion mode is Indexed`)]
        : []),
      ...(completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions
        ? [
            invalidValue(
              `${field}.maxFailedIndexes`,
              maxFailedIndexes,
              "must be less than or equal to completions",
            ),
          ]
        : []),
    ];
  }
  const detail = "requires indexed completion mode";
  return [
    ...(mode === undefined || mode === "NonIndexed"
      ? []
      : [notSupported(`${field}.completionMode`, mode, ["NonIndexed", "Indexed"])]),
    ...(backoffLimitPerIndex === undefined
      ? []
      : [invalidValue(`${field}.backoffLimitPerIndex`, backoffLimitPerIndex, detail)]),
    ...(maxFailedIndexes === undefined
      ? []
      : [invalidValue(`${field}.maxFailedIndexes`, maxFailedIndexes, detail)]),
  ];
}

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];

function failureRuleProblems(
  rule: Given<PodFailurePolicyRule>,
  spec: GivenSpec,
  field: string,
): readonly FieldProblem[] {
  const { action = "", onExitCodes, onPodConditions = [] } = rule;
  const problems: FieldProblem[] = [];
  if (action === "") {
    const known = actions.map((one) => JSON.stringify(one)).join(" ");
    problems.push(required(`${field}.action`, `valid values: [${known}]`));
  } else if (!actions.includes(action)) {
    problems.push(notSupported(`${field}.action`, action, actions));
  } else if (action === "FailIndex" && spec.backoffLimitPerIndex === undefined) {
    problems.push(invalidValue(`${field}.action`, action, "requires the backoffLimitPerIndex to be set"));
  }
  const type = "FieldValueInvalid";
  if (onExitCodes !== undefined && onPodConditions.length > 0) {
    const detail = "specifying both OnExitCodes and OnPodConditions is not supported";
    problems.push({ type, field, detail });
  } else if (onExitCodes === undefined && onPodConditions.length === 0) {
    problems.push({ type, field, detail: "specifying one of OnExitCodes and OnPodConditions is required" });
  }
  return problems;
}

function replacementProblems(
  { podReplacementPolicy: policy, podFailurePolicy }: GivenSpec,
  field: string,
): readonly FieldProblem[] {
  if (policy === undefined) return [];
  const known = podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"];
  return known.includes(policy) ? [] : [notSupported(field, policy, known)];
}

function restartProblems({ template, podFailurePolicy }: GivenSpec, field: string): readonly FieldProblem[] {
  const policy = template?.spec?.restartPolicy ?? "";
  if (policy === "" || policy === "Always") return [required(field, 'valid values: "OnFailure", "Never"')];
  if (policy !== "OnFailure" && policy !== "Never") {
    return [notSupported(field, policy, ["OnFailure", "Never"])];
  }
  return podFailurePolicy !== undefined && policy !== "Never"
    ? [invalidValue(field, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
}
