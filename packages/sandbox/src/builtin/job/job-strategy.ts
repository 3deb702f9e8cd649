import type { Draft } from "@keelson/core";
import type { CronJob, Job, JobSpec } from "@keelson/core/kinds/batch/v1";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, invalidValue, notSupported, required } from "../../status/field-problem.ts";
import { builtinStrategy, type Given, type GivenDraft, type GivenObject } from "../builtin-strategy.ts";
import { setPodTemplateDefaults } from "../pod/pod-defaults.ts";
import { templateWarnings } from "../pod/pod-spec-warnings.ts";
import { nonNegativeFields, textOf } from "../value-problems.ts";
import { nameWarnings } from "../workload/workload-validation.ts";
import { scheduleProblem } from "./cron-schedule-problem.ts";
import { jobProblems, jobSpecProblems, jobStatusProblems, jobUpdateProblems } from "./job-validation.ts";
import { isTimeZone } from "./time-zone.ts";

export const jobStrategy: Strategy = builtinStrategy<Job>({
  countsGenerations: true,
  defaultPropagation: "Orphan",
  setDefaults: setJobDefaults,
  prepareForCreate(job) {
    generateSelector(job);
    separateLabels(job);
  },
  prepareForUpdate: separateLabels,
  validate: jobProblems,
  validateUpdate: jobUpdateProblems,
  validateStatusUpdate: jobStatusProblems,
  warnings: (job, old) => [...nameWarnings(job, old), ...templateWarnings(job.spec?.template, job, old)],
});

const longestName = 52;

export const cronJobStrategy: Strategy = builtinStrategy<CronJob>({
  countsGenerations: true,
  setDefaults(cronJob) {
    cronJob.spec ??= {};
    const { spec } = cronJob;
    spec.concurrencyPolicy ||= "Allow";
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    spec.jobTemplate ??= {};
    spec.jobTemplate.metadata ??= {};
    spec.jobTemplate.spec ??= {};
    setJobSpecDefaults(spec.jobTemplate.spec);
  },
  validate: cronJobProblems,
  validateCreate: ({ metadata: { name } }) =>
    name !== undefined && name.length > longestName
      ? [invalidValue("metadata.name", name, `must be no more than ${longestName} characters`)]
      : [],
  warnings(cronJob, old) {
    const { template } = cronJob.spec?.jobTemplate?.spec ?? {};
    const field = "spec.jobTemplate.spec.template";
    return [...nameWarnings(cronJob, old), ...templateWarnings(template, cronJob, old, field)];
  },
});

function cronJobProblems({ spec = {} }: GivenObject<CronJob>): readonly FieldProblem[] {
  const { schedule = "", timeZone, concurrencyPolicy = "", jobTemplate = {} } = spec;
  const policies = ["Allow", "Forbid", "Replace"];
  const { selector, manualSelector } = jobTemplate.spec ?? {};
  return [
    ...scheduleProblems(schedule),
    ...nonNegativeFields(spec, "spec", ["startingDeadlineSeconds"]),
    ...(timeZone === undefined ? [] : timeZoneProblems(timeZone)),
    ...(policies.includes(concurrencyPolicy)
      ? []
      : [notSupported("spec.concurrencyPolicy", concurrencyPolicy, policies)]),
    ...jobSpecProblems(jobTemplate.spec ?? {}, "spec.jobTemplate.spec"),
    ...(selector === undefined
      ? []
      : [invalidValue("spec.jobTemplate.spec.selector", selector, "`selector` will be auto-generated")]),
    ...(manualSelector === true
      ? [notSupported("spec.jobTemplate.spec.manualSelector", true, ["nil", "false"])]
      : []),
    ...nonNegativeFields(spec, "spec", ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"]),
  ];
}

function scheduleProblems(schedule: string): readonly FieldProblem[] {
  const field = "spec.schedule";
  if (schedule === "") return [required(field)];
  const problem = scheduleProblem(schedule);
  const hasZone = schedule.includes("TZ");
  const detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
  return [
    ...(problem === undefined ? [] : [invalidValue(field, schedule, problem)]),
    ...(hasZone ? [invalidValue(field, schedule, detail)] : []),
  ];
}

function timeZoneProblems(timeZone: string): readonly FieldProblem[] {
  const problem = (detail: string): FieldProblem => invalidValue("spec.timeZone", timeZone, detail);
  if (timeZone === "") return [problem("timeZone must be nil or non-empty string")];
  const explicit = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
  return [
    ...(timeZone.toLowerCase() === "local" ? [problem(explicit)] : []),
    // The server's own zone has this name.
    ...(timeZone === "Local" || isTimeZone(timeZone) ? [] : [problem(`unknown time zone ${timeZone}`)]),
  ];
}

const unlimited = 2147483647;

function setJobDefaults(job: GivenDraft<Job>): void {
  job.spec ??= {};
  const { spec } = job;
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : unlimited;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
  spec.manualSelector ??= false;
  setJobSpecDefaults(spec);
  labelLikePods(job);
}

/** What templates of jobs get too: all the rest is left to when the job is made. */
function setJobSpecDefaults(spec: Draft<Given<JobSpec>>): void {
  spec.template ??= {};
  setPodTemplateDefaults(spec.template);
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) pattern.status ||= "True";
  }
}

/**
 * A job without labels has those of its pods: the very same object at first, so that it is seen whether they came from
 * there. `separateLabels` ends that.
 */
function labelLikePods(job: GivenDraft<Job>): void {
  const labels = job.spec?.template?.metadata?.labels;
  if (labels === undefined || Object.keys(job.metadata.labels ?? {}).length > 0) return;
  job.metadata.labels = labels;
}

/** Gives a job labels of its own where it shared those of its pods. */
function separateLabels(job: GivenDraft<Job>): void {
  const { labels } = job.metadata;
  if (labels !== undefined && labels === job.spec?.template?.metadata?.labels)
    job.metadata.labels = { ...labels };
}

/** Selects the pods of a Job by its uid, unless the Job sets `manualSelector`. */
function generateSelector(job: GivenDraft<Job>): void {
  const { spec, metadata } = job;
  if (spec === undefined || spec.manualSelector === true) return;
  spec.template ??= {};
  spec.template.metadata ??= {};
  const [name, uid] = [textOf(metadata.name), textOf(metadata.uid)];
  spec.template.metadata.labels ??= {};
  const { labels } = spec.template.metadata;
  for (const key of ["job-name", "batch.kubernetes.io/job-name"]) labels[key] ??= name;
  for (const key of ["controller-uid", "batch.kubernetes.io/controller-uid"]) labels[key] ??= uid;
  spec.selector ??= {};
  spec.selector.matchLabels ??= {};
  spec.selector.matchLabels["batch.kubernetes.io/controller-uid"] ??= uid;
  labelLikePods(job);
}
