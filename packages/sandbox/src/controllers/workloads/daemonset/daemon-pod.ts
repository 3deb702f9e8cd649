import type { ObjectOfKind, Stored } from "@keelson/core";
import type { DaemonSet } from "@keelson/core/kinds/apps/v1";
import type { Affinity, Pod, PodSpec, PodTemplateSpec, Toleration } from "@keelson/core/kinds/core/v1";
import { makePod } from "../pod-control.ts";

export const revisionLabel = "controller-revision-hash";
const generationLabel = "pod-template-generation";
const generationAnnotation = "deprecated.daemonset.template.generation";

/** The template with the tolerations of every daemon pod, which runs on nodes that refuse other pods. */
export function daemonSpec({ spec = { containers: [] } }: PodTemplateSpec): PodSpec {
  const added = [...toleratedAlways, ...(spec.hostNetwork === true ? [networkUnavailable] : [])];
  const isSame = (a: Toleration, b: Toleration): boolean =>
    a.key === b.key &&
    a.effect === b.effect &&
    (a.operator ?? "Equal") === b.operator &&
    (a.value ?? "") === "";
  const kept = (spec.tolerations ?? []).filter((own) => !added.some((one) => isSame(own, one)));
  return { ...spec, tolerations: [...kept, ...added] };
}

function tolerated(name: string, effect: "NoExecute" | "NoSchedule"): Toleration {
  return { key: `node.kubernetes.io/${name}`, operator: "Exists", effect };
}

const toleratedAlways: readonly Toleration[] = [
  tolerated("not-ready", "NoExecute"),
  tolerated("unreachable", "NoExecute"),
  tolerated("disk-pressure", "NoSchedule"),
  tolerated("memory-pressure", "NoSchedule"),
  tolerated("pid-pressure", "NoSchedule"),
  tolerated("unschedulable", "NoSchedule"),
];
const networkUnavailable = tolerated("network-unavailable", "NoSchedule");

/** A pod for one node: an affinity to the node's name makes the scheduler bind it to that node. */
export function makeDaemonPod(owner: ObjectOfKind<DaemonSet>, nodeName: string, hash: string): Pod {
  const { template = {} } = owner.object.spec ?? {};
  const generation = templateGeneration(owner.object);
  const labels = {
    ...template.metadata?.labels,
    ...(generation === undefined ? {} : { [generationLabel]: generation }),
    [revisionLabel]: hash,
  };
  const spec = daemonSpec(template);
  const pod = makePod(owner, { ...template, metadata: { ...template.metadata, labels } });
  return { ...pod, spec: { ...spec, affinity: onNode(spec.affinity, nodeName) } };
}

function onNode(affinity: Affinity | undefined, nodeName: string): Affinity {
  const term = { matchFields: [{ key: "metadata.name", operator: "In" as const, values: [nodeName] }] };
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
    },
  };
}

/** Where a pod is, or is meant to be. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec?.nodeName !== undefined && spec.nodeName !== "") return spec.nodeName;
  const terms =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  for (const { matchFields = [] } of terms) {
    const field = matchFields.find(({ key, operator }) => key === "metadata.name" && operator === "In");
    if (field?.values?.length === 1) return field.values[0];
  }
  return undefined;
}

export function isUpdated(set: Stored<DaemonSet>, pod: Stored<Pod>, hash: string): boolean {
  const { labels = {} } = pod.metadata;
  const generation = templateGeneration(set);
  return (
    labels[revisionLabel] === hash || (generation !== undefined && labels[generationLabel] === generation)
  );
}

function templateGeneration({ metadata }: Stored<DaemonSet>): string | undefined {
  const text = metadata.annotations?.[generationAnnotation];
  return text !== undefined && /^\d+$/.test(text) ? text : undefined;
}
