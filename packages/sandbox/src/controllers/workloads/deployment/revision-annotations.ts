import type { KubeObject, Stored } from "@keelson/core";
import type { Deployment, ReplicaSet } from "@keelson/core/kinds/apps/v1";
import type { DeploymentNumbers } from "./deployment-numbers.ts";

type Annotations = Readonly<Record<string, string>>;

export const revisionAnnotation = "deployment.kubernetes.io/revision";
export const desiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas";
export const maxReplicasAnnotation = "deployment.kubernetes.io/max-replicas";
const historyAnnotation = "deployment.kubernetes.io/revision-history";
const historyLimit = 2000;

/** What a Deployment does not hand on to its ReplicaSets. */
const notCopied: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "deprecated.deployment.rollback.to",
  revisionAnnotation,
  historyAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
]);

export function revisionOf({ metadata }: KubeObject): number {
  return wholeNumber(metadata.annotations?.[revisionAnnotation]) ?? 0;
}

export function countIn({ metadata }: KubeObject, annotation: string): number | undefined {
  return wholeNumber(metadata.annotations?.[annotation]);
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** The annotations of the ReplicaSet that is now, or again, the one of the Deployment's template. */
export function newSetAnnotations(
  deployment: Stored<Deployment>,
  present: Annotations,
  revision: number,
): Annotations {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !notCopied.has(key));
  const annotations: Record<string, string> = { ...present, ...Object.fromEntries(copied) };
  const before = annotations[revisionAnnotation];
  const number = wholeNumber(before);
  // A user wrote a value that is not a revision; it stays.
  if (before !== undefined && before !== "" && number === undefined) return annotations;
  if ((number ?? 0) >= revision) return annotations;
  annotations[revisionAnnotation] = String(revision);
  if (before !== undefined)
    annotations[historyAnnotation] = withHistory(annotations[historyAnnotation], before);
  return annotations;
}

/** The revisions that a ReplicaSet had before, the oldest of them forgotten when the text becomes too long. */
function withHistory(history: string | undefined, revision: string): string {
  if (history === undefined || history === "") return revision;
  const revisions = [...history.split(","), revision];
  while (revisions.join(",").length > historyLimit && revisions.length > 1) revisions.shift();
  return revisions.join(",");
}

export function replicasAnnotations({ replicas, maxSurge }: DeploymentNumbers): Annotations {
  return {
    [desiredReplicasAnnotation]: String(replicas),
    [maxReplicasAnnotation]: String(replicas + maxSurge),
  };
}

export function hasAnnotations({ metadata }: Stored<ReplicaSet>, wanted: Annotations): boolean {
  return Object.entries(wanted).every(([key, value]) => metadata.annotations?.[key] === value);
}
