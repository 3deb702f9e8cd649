import type { Draft } from "@keelson/core";
import type { Job, JobSpec } from "@keelson/core/kinds/batch/v1";
import type { Given, GivenDraft } from "../given.ts";
import { setPodTemplateDefaults } from "../pod/pod-spec-defaults.ts";

const unlimited = 2147483647;

export function setJobDefaults(job: GivenDraft<Job>): void {
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
export function setJobSpecDefaults(spec: Draft<Given<JobSpec>>): void {
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
export function separateLabels(job: GivenDraft<Job>): void {
  const { labels } = job.metadata;
  if (labels !== undefined && labels === job.spec?.template?.metadata?.labels)
    job.metadata.labels = { ...labels };
}

/** Pods of a job are found by its uid, unless the creator took that upon himself. */
export function generateSelector(job: GivenDraft<Job>): void {
  const { spec, metadata } = job;
  if (spec === undefined || spec.manualSelector === true) return;
  spec.template ??= {};
  spec.template.metadata ??= {};
  const { name = "", uid = "" } = metadata;
  spec.template.metadata.labels ??= {};
  const { labels } = spec.template.metadata;
  for (const key of ["job-name", "batch.kubernetes.io/job-name"]) labels[key] ??= name;
  for (const key of ["controller-uid", "batch.kubernetes.io/controller-uid"]) labels[key] ??= uid;
  spec.selector ??= {};
  spec.selector.matchLabels ??= {};
  spec.selector.matchLabels["batch.kubernetes.io/controller-uid"] ??= uid;
  labelLikePods(job);
}
