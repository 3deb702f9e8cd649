import type { ObjectMeta, ObjectOfKind, Stored } from "@keelson/core";
import type { Job } from "@keelson/core/kinds/batch/v1";
import type { Container, Pod, PodTemplateSpec } from "@keelson/core/kinds/core/v1";
import { makePod } from "../pod-control.ts";

const trackingFinalizer = "batch.kubernetes.io/job-tracking";
const indexKey = "batch.kubernetes.io/job-completion-index";
const failureCountKey = "batch.kubernetes.io/job-index-failure-count";
const ignoredCountKey = "batch.kubernetes.io/job-index-ignored-failure-count";
const indexVariable = "JOB_COMPLETION_INDEX";
/** What is left of a name of 63 letters when five random ones follow. */
const longestPrefix = 58;

export function isTracked({ metadata }: Stored<Pod>): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) === true;
}

export function withTracking(pod: Stored<Pod>): Pod {
  return { ...pod, metadata: withFinalizer(pod.metadata) };
}

export function withoutTracking(pod: Stored<Pod>): Pod {
  const finalizers = (pod.metadata.finalizers ?? []).filter((finalizer) => finalizer !== trackingFinalizer);
  return { ...pod, metadata: { ...pod.metadata, finalizers } };
}

/** The index of a pod, if it has one that the Job has too. */
export function indexOf(pod: Stored<Pod>, completions: number): number | undefined {
  const index = countIn(pod, indexKey);
  return index !== undefined && index < completions ? index : undefined;
}

/** How often the index had failed when the pod was made. */
export function failuresBefore(pod: Stored<Pod>): number {
  return countIn(pod, failureCountKey) ?? 0;
}

export function ignoredFailuresBefore(pod: Stored<Pod>): number {
  return countIn(pod, ignoredCountKey) ?? 0;
}

function countIn({ metadata }: Stored<Pod>, key: string): number | undefined {
  const text = metadata.annotations?.[key];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

export function makeJobPod(owner: ObjectOfKind<Job>): Pod {
  const template = owner.object.spec?.template ?? {};
  return makePod(owner, tracked(template));
}

function tracked(template: PodTemplateSpec): PodTemplateSpec {
  return { ...template, metadata: withFinalizer(template.metadata ?? {}) };
}

function withFinalizer<Metadata extends ObjectMeta>(metadata: Metadata): Metadata {
  const { finalizers = [] } = metadata;
  if (finalizers.includes(trackingFinalizer)) return metadata;
  return { ...metadata, finalizers: [...finalizers, trackingFinalizer] };
}

export interface IndexFailures {
  readonly counted: number;
  readonly ignored: number;
}

/** The pod of one index, which finds it in its labels, its annotations, its environment and its host name. */
export function makeIndexedPod(
  owner: ObjectOfKind<Job>,
  index: number,
  failures: IndexFailures | undefined,
): Pod {
  const pod = makeJobPod(owner);
  const { name } = owner.object.metadata;
  const suffix = `-${index}-`;
  const { spec = { containers: [] } } = pod;
  const { initContainers } = spec;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      generateName: `${name.slice(0, longestPrefix - suffix.length)}${suffix}`,
      labels: { ...pod.metadata.labels, [indexKey]: String(index) },
      annotations: {
        ...pod.metadata.annotations,
        [indexKey]: String(index),
        ...(failures === undefined ? {} : { [failureCountKey]: String(failures.counted) }),
        ...(failures === undefined || failures.ignored === 0
          ? {}
          : { [ignoredCountKey]: String(failures.ignored) }),
      },
    },
    spec: {
      ...spec,
      hostname: `${name}-${index}`,
      containers: spec.containers.map(withIndexVariable),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withIndexVariable) }),
    },
  };
}

function withIndexVariable(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === indexVariable)) return container;
  const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${indexKey}']` } };
  return { ...container, env: [...env, { name: indexVariable, valueFrom }] };
}
