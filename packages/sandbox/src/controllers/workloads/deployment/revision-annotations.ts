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

/** Revisions are integers of 64 bits. 0 if there is none. */
export function revisionOf({ metadata }: KubeObject): bigint {
  return revisionIn(metadata.annotations?.[revisionAnnotation]) ?? 0n;
}

function revisionIn(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return undefined;
  const revision = BigInt(text.replace("+", ""));
  return BigInt.asIntN(64, revision) === revision ? revision : undefined;
}

/** The lowest first. */
export function compareRevisions(a: KubeObject, b: KubeObject): number {
  return Number(revisionOf(a) > revisionOf(b)) - Number(revisionOf(a) < revisionOf(b));
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
  revision: bigint,
): Annotations {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !notCopied.has(key));
  const annotations: Record<string, string> = { ...present, ...Object.fromEntries(copied) };
  const before = annotations[revisionAnnotation];
  const number = revisionIn(before);
  // A user wrote a value that is not a revision; it stays.
  if (before !== undefined && before !== "" && number === undefined) return annotations;
  if ((number ?? 0n) >= revision) return annotations;
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
