import type { Selection } from "@keelson/client";
import {
  type FieldRequirement,
  fieldsOf,
  type KubeObject,
  type LabelQuery,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from "@keelson/core";

/** Decides whether objects belong to a selection, as the server does. */
export interface SelectionTest {
  /**
   * Whether an object of the server belongs to the selection; undefined if that is unknown, because a field is not at the
   * path of its name, or only the metadata is present.
   */
  judge(object: KubeObject): boolean | undefined;
  /** As `judge`, but never undefined: a field that is absent counts as empty. */
  isSelected(object: KubeObject): boolean;
  /** Whether objects of a namespace may be in the selection. */
  mayBeSelected(namespace: string | undefined): boolean;
  /** Whether an object may join and leave the selection while it exists. */
  readonly isChangeable: boolean;
}

/** Throws for a selector that the server would refuse. */
export function selectionTest({ namespace, labelSelector, fieldSelector = "" }: Selection): SelectionTest {
  const labels = labelQueryOf(labelSelector);
  const fields = parseFieldSelector(fieldSelector);
  const excluded = fields
    .filter(({ field, operator }) => field === "metadata.namespace" && operator === "!=")
    .map(({ value }) => value);
  const isOutside = ({ metadata }: KubeObject): boolean =>
    (namespace !== undefined && metadata.namespace !== namespace) || !matchesLabels(labels, metadata.labels);
  return {
    judge: (object) => {
      const verdicts = fields.map((field) => holdsFor(field, selectedValueOf(object, field.field)));
      if (isOutside(object) || verdicts.includes(false)) return false;
      return verdicts.includes(undefined) ? undefined : true;
    },
    isSelected: (object) =>
      !isOutside(object) &&
      fields.every((field) => holdsFor(field, selectedValueOf(object, field.field) ?? "") === true),
    mayBeSelected: (candidate) =>
      candidate === undefined ||
      (namespace === undefined ? !excluded.includes(candidate) : namespace === candidate),
    isChangeable: isDemanding(labels) || fields.some(({ field }) => !permanentFields.has(field)),
  };
}

export function labelQueryOf(selector: Selection["labelSelector"]): LabelQuery {
  return typeof selector === "string" ? parseLabelSelector(selector) : (selector ?? {});
}

function isDemanding({ matchLabels = {}, matchExpressions = [] }: LabelQuery): boolean {
  return Object.keys(matchLabels).length > 0 || matchExpressions.length > 0;
}

/** A zero value may be absent: `spec.unschedulable=false` holds without the field. */
function holdsFor({ operator, value }: FieldRequirement, actual: string | undefined): boolean | undefined {
  if (actual === undefined) return undefined;
  const isEqual = actual === value || (actual === "" && (value === "false" || value === "0"));
  return isEqual === (operator === "=");
}

/** Fields that never change and that each representation of an object contains. */
const permanentFields: ReadonlySet<string> = new Set(["metadata.name", "metadata.namespace"]);

/**
 * The fields by which the server selects built-in kinds, each with the paths of its value: the first one that is present
 * counts. Most are at the path of their name. A field that is not listed is a path of a custom resource, or known only to
 * its own server.
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
function selectedValueOf(object: KubeObject, field: string): string | undefined {
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
