import type { CronJob, Job } from "@keelson/core/kinds/batch/v1";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, invalidValue, notSupported, required } from "../../status/field-problem.ts";
import { builtinStrategy } from "../builtin-strategy.ts";
import type { GivenObject } from "../given.ts";
import { templateWarnings } from "../pod/pod-spec-warnings.ts";
import { nonNegativeFields } from "../value-problems.ts";
import { nameWarnings } from "../workload/replica-counts.ts";
import { isTimeZone, scheduleProblem } from "./cron-schedule-problem.ts";
import { generateSelector, separateLabels, setJobDefaults, setJobSpecDefaults } from "./job-defaults.ts";
import { jobStatusProblems, jobUpdateProblems } from "./job-update.ts";
import { jobProblems, jobSpecProblems } from "./job-validation.ts";

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
  validateCreate: ({ metadata: { name = "" } }) =>
    name.length > longestName
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
  const problem = (detail: string): readonly FieldProblem[] => [
    invalidValue("spec.timeZone", timeZone, detail),
  ];
  if (timeZone === "") return problem("timeZone must be nil or non-empty string");
  if (timeZone.toLowerCase() === "local") {
    return problem("timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  }
  return isTimeZone(timeZone) ? [] : problem(`unknown time zone ${timeZone}`);
}
