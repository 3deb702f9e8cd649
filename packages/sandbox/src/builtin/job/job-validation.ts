import { deepEqual, matchesLabels } from "@keelson/core";
import type { Job, JobSpec } from "@keelson/core/kinds/batch/v1";
import type { Container } from "@keelson/core/kinds/core/v1";
import { labelSelectorProblems, usableSelector } from "../../resource/label-problems.ts";
import { dnsLabelProblems } from "../../resource/name-problems.ts";
import { type FieldProblem, invalidValue, notSupported, required } from "../../status/field-problem.ts";
import type { Given, GivenObject } from "../builtin-strategy.ts";
import { internalPodSpec, internalPodTemplate } from "../pod/internal-form.ts";
import { podTemplateProblems } from "../pod/pod-spec-validation.ts";
import { immutableField, nonNegativeFields, textOf } from "../value-problems.ts";
import { immutableSelector, inOrder, orderedSelector } from "../workload/workload-validation.ts";
import { failurePolicyProblems, successPolicyProblems } from "./job-policy-validation.ts";

type GivenSpec = Given<JobSpec>;
type GivenTemplate = NonNullable<GivenSpec["template"]>;

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
function selectingSpecProblems(spec: GivenSpec): readonly FieldProblem[] {
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
  const [name, uid] = [textOf(metadata.name), textOf(metadata.uid)];
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

/** What of a job may not change: how many pods it needs, which, and what they are. */
export function jobUpdateProblems(job: GivenObject<Job>, old: GivenObject<Job>): readonly FieldProblem[] {
  const [spec, before] = [job.spec ?? {}, old.spec ?? {}];
  return [
    // The real server checks the spec once more here, so its problems appear twice.
    ...selectingSpecProblems(spec),
    ...completionsProblems(spec, before),
    ...immutableSelector(spec.selector, before.selector),
    ...templateProblems(spec.template ?? {}, old),
    ...(
      ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"] as const
    ).flatMap((name) => immutableField(spec[name], before[name], `spec.${name}`)),
  ];
}

function completionsProblems(spec: GivenSpec, old: GivenSpec): readonly FieldProblem[] {
  const { completions, parallelism, completionMode } = spec;
  if (completionMode !== "Indexed") {
    return immutableField(completions, old.completions, "spec.completions");
  }
  if (completions === undefined || completions === old.completions || completions === parallelism) return [];
  const detail = "can only be modified in tandem with spec.parallelism";
  return [invalidValue("spec.completions", completions, detail)];
}

/** The scheduling fields and resources of the template may change while a Job is suspended and has no pods. */
function templateProblems(template: GivenTemplate, old: GivenObject<Job>): readonly FieldProblem[] {
  const before = old.spec?.template ?? {};
  if (!isIdle(old)) {
    return deepEqual(template, before)
      ? []
      : [invalidValue("spec.template", internalPodTemplate(template), "field is immutable")];
  }
  const [spec, allowed] = [template.spec ?? {}, withDirectivesOf(before, template)];
  return deepEqual(spec, allowed)
    ? []
    : [invalidValue("spec.template.spec", internalPodSpec(spec), "field is immutable")];
}

function isIdle({ spec, status }: GivenObject<Job>): boolean {
  const isSuspended = status?.conditions?.some(
    ({ type, status: value }) => type === "Suspended" && value === "True",
  );
  const hasNotStarted = status?.startTime === undefined;
  return spec?.suspend === true && (status?.active ?? 0) === 0 && (hasNotStarted || isSuspended === true);
}

function withDirectivesOf(old: GivenTemplate, template: GivenTemplate): NonNullable<GivenTemplate["spec"]> {
  const { affinity, nodeSelector, tolerations, schedulingGates } = template.spec ?? {};
  const {
    affinity: oldAffinity,
    nodeSelector: _selector,
    tolerations: _tolerations,
    schedulingGates: _gates,
    ...rest
  } = old.spec ?? {};
  const { nodeAffinity: _node, ...otherAffinity } = oldAffinity ?? {};
  const newNodeAffinity = affinity?.nodeAffinity;
  const merged = {
    ...otherAffinity,
    ...(newNodeAffinity === undefined ? {} : { nodeAffinity: newNodeAffinity }),
  };
  return {
    ...rest,
    ...withResourcesOf("containers", old, template),
    ...withResourcesOf("initContainers", old, template),
    ...(affinity === undefined && Object.keys(merged).length === 0 ? {} : { affinity: merged }),
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(tolerations === undefined ? {} : { tolerations }),
    ...(schedulingGates === undefined ? {} : { schedulingGates }),
  };
}

function withResourcesOf(
  list: "containers" | "initContainers",
  old: GivenTemplate,
  template: GivenTemplate,
): Readonly<Partial<Record<typeof list, readonly Given<Container>[]>>> {
  const before = old.spec?.[list];
  const now = template.spec?.[list] ?? [];
  if (before === undefined || before.length !== now.length) return {};
  return {
    [list]: before.map((container, index) => {
      const { name, resources } = now[index] ?? {};
      return name === container.name && resources !== undefined ? { ...container, resources } : container;
    }),
  };
}

const terminalConditions = ["Failed", "Complete", "FailureTarget"];

/** A finished Job stays finished. */
export function jobStatusProblems(job: GivenObject<Job>, old: GivenObject<Job>): readonly FieldProblem[] {
  const [status, before] = [job.status ?? {}, old.status ?? {}];
  const problems: FieldProblem[] = [];
  for (const type of terminalConditions) {
    if (holds(before, type) && !holds(status, type)) {
      const detail = `cannot disable the terminal ${type}=True condition`;
      problems.push({ type: "FieldValueInvalid", field: "status.conditions", detail });
    }
  }
  for (const counter of ["failed", "succeeded"] as const) {
    const value = status[counter] ?? 0;
    if (value < (before[counter] ?? 0)) {
      problems.push(invalidValue(`status.${counter}`, value, `cannot decrease the ${counter} counter`));
    }
  }
  return problems;
}

function holds({ conditions = [] }: NonNullable<GivenObject<Job>["status"]>, type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === "True");
}
