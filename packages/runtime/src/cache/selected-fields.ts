import { fieldsOf, type KubeObject } from "@keelson/core";

/** An object has these for as long as it exists, and in each of its representations. */
export const permanentFields: ReadonlySet<string> = new Set(["metadata.name", "metadata.namespace"]);

/**
 * The fields by which the server selects built-in kinds, each with the paths at which its value is: the first one that
 * is there counts. Most are where their name says. What is not here is a path of a custom resource, or something that
 * only its own server knows.
 * https://github.com/kubernetes/kubernetes/tree/v1.36.2/pkg/registry (ToSelectableFields)
 */
const builtIn: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "v1 Pod": {
    ...atTheirPaths("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName"),
    ...atTheirPaths("spec.hostNetwork", "status.phase", "status.podIP", "status.nominatedNodeName"),
    "spec.host": ["spec.nodeName"],
  },
  "v1 Node": atTheirPaths("spec.unschedulable"),
  "v1 Namespace": atTheirPaths("status.phase"),
  "v1 Secret": atTheirPaths("type"),
  "v1 Service": atTheirPaths("spec.clusterIP", "spec.type"),
  "v1 ReplicationController": atTheirPaths("status.replicas"),
  "apps/v1 ReplicaSet": atTheirPaths("status.replicas"),
  "batch/v1 Job": { "status.successful": ["status.succeeded"] },
  "v1 Event": {
    ...atTheirPaths(...referenceTo("involvedObject"), "reason", "reportingComponent", "type"),
    source: ["source.component", "reportingComponent"],
  },
  "events.k8s.io/v1 Event": atTheirPaths(
    ...referenceTo("regarding"),
    "reason",
    "reportingController",
    "type",
  ),
  "certificates.k8s.io/v1 CertificateSigningRequest": atTheirPaths("spec.signerName"),
  "resource.k8s.io/v1 ResourceSlice": atTheirPaths("spec.nodeName", "spec.driver"),
};

/** The value of a field to the server, where that is known; empty if it is the zero of its type. */
export function selectedValueOf(object: KubeObject, field: string): string | undefined {
  const valueAt = fieldsOf(object);
  const known = builtIn[`${object.apiVersion} ${object.kind}`];
  const paths = known !== undefined && Object.hasOwn(known, field) ? known[field] : undefined;
  // A cluster-scoped object has no namespace.
  if (permanentFields.has(field)) return valueAt(field);
  if (paths === undefined) return valueAt(field) === "" ? undefined : valueAt(field);
  return paths.map(valueAt).find((value) => value !== "") ?? "";
}

function atTheirPaths(...fields: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(fields.map((field) => [field, [field]]));
}

function referenceTo(field: string): readonly string[] {
  const parts = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
  return parts.map((part) => `${field}.${part}`);
}
