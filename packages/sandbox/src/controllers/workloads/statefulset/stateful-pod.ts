import type { ObjectOfKind, Stored } from "@keelson/core";
import { StatefulSet } from "@keelson/core/kinds/apps/v1";
import type { PersistentVolumeClaim, Pod, PodTemplateSpec } from "@keelson/core/kinds/core/v1";
import { makePod } from "../pod-control.ts";

const podNameLabel = "statefulset.kubernetes.io/pod-name";
const podIndexLabel = "apps.kubernetes.io/pod-index";
const revisionLabel = "controller-revision-hash";

/** The number at the end of a pod's name if the rest is that of the set, else undefined. */
export function ordinalOf(set: Stored<StatefulSet>, { metadata }: Pod): number | undefined {
  const parts = metadata.name === undefined ? null : /^(.*)-(\d+)$/.exec(metadata.name);
  return parts !== null && parts[1] === set.metadata.name ? Number(parts[2]) : undefined;
}

export function firstOrdinal({ spec }: Stored<StatefulSet>): number {
  return spec?.ordinals?.start ?? 0;
}

export function isInRange(set: Stored<StatefulSet>, ordinal: number): boolean {
  const first = firstOrdinal(set);
  return ordinal >= first && ordinal < first + (set.spec?.replicas ?? 1);
}

function podNameOf(set: Stored<StatefulSet>, ordinal: number): string {
  return `${set.metadata.name}-${ordinal}`;
}

export function revisionOfPod({ metadata }: Stored<Pod>): string | undefined {
  return metadata.labels?.[revisionLabel];
}

/** The claims of one pod of the set. */
export function claimsOf(set: Stored<StatefulSet>, ordinal: number): readonly PersistentVolumeClaim[] {
  const { namespace } = set.metadata;
  return (set.spec?.volumeClaimTemplates ?? []).map(({ metadata, spec }) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      ...metadata,
      name: claimName(set, metadata.name, ordinal),
      namespace,
      labels: { ...metadata.labels, ...set.spec?.selector.matchLabels },
    },
    ...(spec === undefined ? {} : { spec }),
  }));
}

function claimName(set: Stored<StatefulSet>, template: string | undefined, ordinal: number): string {
  return `${template}-${set.metadata.name}-${ordinal}`;
}

export function makeStatefulPod(
  set: Stored<StatefulSet>,
  template: PodTemplateSpec,
  revision: string,
  ordinal: number,
): Pod {
  const owner: ObjectOfKind = { object: set, resource: StatefulSet };
  const pod = makePod(owner, template);
  const name = podNameOf(set, ordinal);
  const subdomain = set.spec?.serviceName ?? "";
  const { spec = { containers: [] } } = pod;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      name,
      labels: { ...identityLabels(set, pod, ordinal), [revisionLabel]: revision },
    },
    spec: {
      ...spec,
      hostname: name,
      ...(subdomain === "" ? {} : { subdomain }),
      ...withClaims(set, spec, ordinal),
    },
  };
}

export function identityLabels(
  set: Stored<StatefulSet>,
  pod: Pod,
  ordinal: number,
): Readonly<Record<string, string>> {
  return {
    ...pod.metadata.labels,
    [podNameLabel]: podNameOf(set, ordinal),
    [podIndexLabel]: String(ordinal),
  };
}

/** Whether a pod carries its name as a label, by which a Service can select it. */
export function hasIdentity({ metadata }: Stored<Pod>): boolean {
  return metadata.labels?.[podNameLabel] === metadata.name;
}

/** Claims come before other volumes, and take the place of those of the same name. */
function withClaims(
  set: Stored<StatefulSet>,
  { volumes = [] }: NonNullable<Pod["spec"]>,
  ordinal: number,
): Pick<NonNullable<Pod["spec"]>, "volumes"> {
  const claims = (set.spec?.volumeClaimTemplates ?? []).map(({ metadata }) => ({
    // Without a name in the template the volume has none either, and the server refuses the pod.
    name: metadata.name ?? "",
    persistentVolumeClaim: { claimName: claimName(set, metadata.name, ordinal) },
  }));
  const names = new Set(claims.map(({ name }) => name));
  const all = [...claims, ...volumes.filter(({ name }) => !names.has(name))];
  return all.length === 0 ? {} : { volumes: all };
}
