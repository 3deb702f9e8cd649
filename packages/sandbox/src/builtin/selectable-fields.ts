import { fieldsOf, type GenericObject, isRecord } from "@keelson/core";

/** What field selectors may name for a kind, beside its name and namespace, and how they read it. */
export interface SelectableFields {
  readonly paths: readonly string[];
  /** Default: the field at that path. */
  readonly read?: (object: GenericObject, path: string) => string;
}

const none: SelectableFields = { paths: [] };

const eventPaths = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

const byKind: Readonly<Record<string, SelectableFields>> = {
  "/Pod": {
    paths: [
      "spec.nodeName",
      "spec.restartPolicy",
      "spec.schedulerName",
      "spec.serviceAccountName",
      "spec.hostNetwork",
      "status.phase",
      "status.podIP",
      "status.podIPs",
      "status.nominatedNodeName",
    ],
    read: (pod, path) => {
      const value = fieldsOf(pod)(path);
      return path === "spec.hostNetwork" && value === "" ? "false" : value;
    },
  },
  "/Node": {
    paths: ["spec.unschedulable"],
    read: (node, path) => fieldsOf(node)(path) || (path === "spec.unschedulable" ? "false" : ""),
  },
  "/Namespace": { paths: ["status.phase"] },
  "/Secret": { paths: ["type"] },
  "/Service": { paths: ["spec.clusterIP", "spec.type"] },
  "/ReplicationController": { paths: ["status.replicas"], read: readCount },
  "batch/Job": {
    paths: ["status.successful"],
    read: (job, path) => readCount(job, path === "status.successful" ? "status.succeeded" : path),
  },
  "/Event": {
    paths: [
      ...eventPaths.map((name) => `involvedObject.${name}`),
      "reason",
      "reportingComponent",
      "source",
      "type",
    ],
    read: readEvent,
  },
  "events.k8s.io/Event": {
    paths: [...eventPaths.map((name) => `regarding.${name}`), "reason", "reportingController", "type"],
    read: readEvent,
  },
  "certificates.k8s.io/CertificateSigningRequest": { paths: ["spec.signerName"] },
};

export function selectableFieldsOf(group: string, kind: string): SelectableFields {
  return byKind[`${group}/${kind}`] ?? none;
}

/** A count that is missing is 0; names are never missing. */
function readCount(object: GenericObject, path: string): string {
  const value = fieldsOf(object)(path);
  return value === "" && path.startsWith("status.") ? "0" : value;
}

/** In either form of events, by the names of either. */
function readEvent(event: GenericObject, path: string): string {
  const [first = "", ...rest] = path.split(".");
  if (first === "involvedObject" || first === "regarding") {
    const regarded = event["involvedObject"] ?? event["regarding"];
    return isRecord(regarded) ? fieldsOf(regarded)(rest.join(".")) : "";
  }
  if (first === "reportingComponent" || first === "reportingController") {
    return fieldsOf(event)("reportingComponent") || fieldsOf(event)("reportingController");
  }
  if (first === "source") {
    const component = fieldsOf(event)("source.component") || fieldsOf(event)("deprecatedSource.component");
    return component || readEvent(event, "reportingComponent");
  }
  return fieldsOf(event)(path);
}
