import { deepEqual } from "@keelson/core";
import type { Job, JobSpec } from "@keelson/core/kinds/batch/v1";
import type { Container } from "@keelson/core/kinds/core/v1";
import { type FieldProblem, invalidValue } from "../../status/field-problem.ts";
import type { Given, GivenObject } from "../given.ts";
import { internalPodSpec, internalPodTemplate } from "../pod/internal-form.ts";
import { immutableField } from "../value-problems.ts";
import { immutableSelector } from "../workload/selector-and-template.ts";
import { selectingSpecProblems } from "./job-validation.ts";

type GivenSpec = Given<JobSpec>;
type GivenTemplate = NonNullable<GivenSpec["template"]>;

/** What of a job may not change: how many pods it needs, which, and what they are. */
export function jobUpdateProblems(job: GivenObject<Job>, old: GivenObject<Job>): readonly FieldProblem[] {
  const [spec, before] = [job.spec ?? {}, old.spec ?? {}];
  return [
    // The server checks the spec once more here, so that its problems are told twice.
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

/** A job that is suspended and has no pods may still be told where they go and what they get. */
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

/** A job that has come to its end stays there. */
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
