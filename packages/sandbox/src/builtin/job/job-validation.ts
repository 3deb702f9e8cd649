import { matchesLabels } from "@keelson/core";
import type { Job, JobSpec } from "@keelson/core/kinds/batch/v1";
import { labelSelectorProblems, usableSelector } from "../../resource/label-problems.ts";
import { dnsLabelProblems } from "../../resource/name-problems.ts";
import { type FieldProblem, invalidValue, notSupported, required } from "../../status/field-problem.ts";
import type { Given, GivenObject } from "../given.ts";
import { podTemplateProblems } from "../pod/pod-spec-validation.ts";
import { nonNegativeFields } from "../value-problems.ts";
import { inOrder, orderedSelector } from "../workload/selector-and-template.ts";
import { failurePolicyProblems } from "./failure-policy-validation.ts";
import { successPolicyProblems } from "./success-policy-validation.ts";

type GivenSpec = Given<JobSpec>;

export function jobProblems(job: GivenObject<Job>): readonly FieldProblem[] {
  const { spec = {}, metadata } = job;
  const { completions = 0, completionMode } = spec;
  const problems: FieldProblem[] = [...generatedSelectorProblems(job), ...selectingSpecProblems(spec)];
  if (completionMode === "Indexed" && completions > 0) {
    const hostname = `${metadata.name ?? ""}-${completions - 1}`;
    if (dnsLabelProblems(hostname).length > 0) {
      const detail = `will not able to create pod with invalid DNS label: ${hostname}`;
      problems.push(invalidValue("metadata.name", metadata.name ?? "", detail));
    }
  }
  return problems;
}

/** Of the spec of a job that selects pods, which templates of jobs do not. */
export function selectingSpecProblems(spec: GivenSpec): readonly FieldProblem[] {
  const { selector } = spec;
  const problems: FieldProblem[] = [...jobSpecProblems(spec, "spec")];
  if (selector === undefined) problems.push(required("spec.selector"));
  problems.push(...labelSelectorProblems(selector, "spec.selector"));
  const usable = usableSelector(selector);
  const labels = spec.template?.metadata?.labels;
  if (selector === undefined || (usable !== undefined && !matchesLabels(usable, labels))) {
    const detail = "`selector` does not match template `labels`";
    problems.push(invalidValue("spec.template.metadata.labels", inOrder(labels), detail));
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
    : [
        ...problems,
        invalidValue("spec.selector", orderedSelector(spec.selector), "`selector` not auto-generated"),
      ];
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
  problems.push(...failurePolicyProblems(spec, `${field}.podFailurePolicy`));
  problems.push(...successPolicyProblems(spec, `${field}.successPolicy`));
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
