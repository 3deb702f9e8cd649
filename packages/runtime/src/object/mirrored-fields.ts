import { type ApplyConfiguration, isRecord, type KubeObject, type Resource } from "@keelson/core";

/** Where the kinds of a group that create pods have the spec of a pod. */
const podSpecs: ReadonlyMap<string, readonly string[]> = new Map([
  ["/Pod", ["spec"]],
  ["/PodTemplate", ["template", "spec"]],
  ["/ReplicationController", ["spec", "template", "spec"]],
  ["apps/DaemonSet", ["spec", "template", "spec"]],
  ["apps/Deployment", ["spec", "template", "spec"]],
  ["apps/ReplicaSet", ["spec", "template", "spec"]],
  ["apps/StatefulSet", ["spec", "template", "spec"]],
  ["batch/CronJob", ["spec", "jobTemplate", "spec", "template", "spec"]],
  ["batch/Job", ["spec", "template", "spec"]],
]);

/**
 * The desired state, with the fields into which the server copies others. The server copies the `serviceAccountName` of a
 * pod into the deprecated `serviceAccount`, and back if only that is left: unless both are stated, a name that is no longer
 * desired returns.
 */
export function withMirroredFields<T extends KubeObject>(
  { group, kind }: Resource<T>,
  desired: ApplyConfiguration<T>,
): ApplyConfiguration<T> {
  const path = podSpecs.get(`${group}/${kind}`);
  return path === undefined
    ? desired
    : Object.assign({}, desired, changedAt(desired, path, withServiceAccount));
}

function withServiceAccount(podSpec: Fields): Fields {
  const { serviceAccountName, serviceAccount } = podSpec;
  if (typeof serviceAccountName !== "string" || serviceAccount !== undefined) return podSpec;
  return { ...podSpec, serviceAccount: serviceAccountName };
}

type Fields = Readonly<Record<string, unknown>>;

function changedAt(value: unknown, path: readonly string[], change: (fields: Fields) => Fields): unknown {
  if (!isRecord(value)) return value;
  const [name, ...rest] = path;
  if (name === undefined) return change(value);
  return Object.hasOwn(value, name) ? { ...value, [name]: changedAt(value[name], rest, change) } : value;
}
