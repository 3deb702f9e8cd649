import { controllerOf, formatLabelSelector, type KubeObject, parseApiVersion } from "@keelson/core";
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from "@keelson/core/kinds/apps/v1";
import type { PodTemplate, ReplicationController } from "@keelson/core/kinds/core/v1";
import {
  ageColumn,
  containerColumns,
  type KindColumn,
  labelsText,
  nameColumn,
  selectorText,
} from "./column.ts";

export const deploymentColumns: readonly KindColumn<Deployment>[] = [
  nameColumn,
  {
    name: "Ready",
    description: "Ready pods, of those wanted",
    cell: ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
  },
  {
    name: "Up-to-date",
    description: "Pods of the present template",
    cell: ({ status }) => status?.updatedReplicas ?? 0,
  },
  {
    name: "Available",
    description: "Pods that are ready for long enough",
    cell: ({ status }) => status?.availableReplicas ?? 0,
  },
  ageColumn,
  ...containerColumns<Deployment>(({ spec }) => spec?.template),
  {
    name: "Selector",
    isWide: true,
    description: "Which pods belong to it",
    cell: ({ spec }) => (spec === undefined ? "" : formatLabelSelector(spec.selector)),
  },
];

interface Replicated extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly readyReplicas?: number };
}

const replicaColumns: readonly KindColumn<Replicated>[] = [
  nameColumn,
  { name: "Desired", type: "integer", description: "Pods wanted", cell: ({ spec }) => spec?.replicas ?? 0 },
  {
    name: "Current",
    type: "integer",
    description: "Pods there",
    cell: ({ status }) => status?.replicas ?? 0,
  },
  {
    name: "Ready",
    type: "integer",
    description: "Pods ready",
    cell: ({ status }) => status?.readyReplicas ?? 0,
  },
  ageColumn,
];

export const replicaSetColumns: readonly KindColumn<ReplicaSet>[] = [
  ...replicaColumns,
  ...containerColumns<ReplicaSet>(({ spec }) => spec?.template),
  {
    name: "Selector",
    isWide: true,
    description: "Which pods belong to it",
    cell: ({ spec }) => selectorText(spec?.selector),
  },
];

export const replicationControllerColumns: readonly KindColumn<ReplicationController>[] = [
  ...replicaColumns,
  ...containerColumns<ReplicationController>(({ spec }) => spec?.template),
  {
    name: "Selector",
    isWide: true,
    description: "Which pods belong to it",
    cell: ({ spec }) => labelsText(spec?.selector),
  },
];

export const statefulSetColumns: readonly KindColumn<StatefulSet>[] = [
  nameColumn,
  {
    name: "Ready",
    description: "Ready pods, of those wanted",
    cell: ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
  },
  ageColumn,
  ...containerColumns<StatefulSet>(({ spec }) => spec?.template),
];

export const daemonSetColumns: readonly KindColumn<DaemonSet>[] = [
  nameColumn,
  daemonCount("Desired", "desiredNumberScheduled", "Nodes that are to have a pod"),
  daemonCount("Current", "currentNumberScheduled", "Nodes that are to have a pod and have one"),
  daemonCount("Ready", "numberReady", "Nodes whose pod is ready"),
  daemonCount("Up-to-date", "updatedNumberScheduled", "Nodes whose pod is of the present template"),
  daemonCount("Available", "numberAvailable", "Nodes whose pod is ready for long enough"),
  {
    name: "Node Selector",
    description: "Labels of the nodes that are to have a pod",
    cell: ({ spec }) => labelsText(spec?.template.spec?.nodeSelector),
  },
  ageColumn,
  ...containerColumns<DaemonSet>(({ spec }) => spec?.template),
  {
    name: "Selector",
    isWide: true,
    description: "Which pods belong to it",
    cell: ({ spec }) => selectorText(spec?.selector),
  },
];

function daemonCount(
  name: string,
  field:
    | "desiredNumberScheduled"
    | "currentNumberScheduled"
    | "numberReady"
    | "updatedNumberScheduled"
    | "numberAvailable",
  description: string,
): KindColumn<DaemonSet> {
  return { name, type: "integer", description, cell: ({ status }) => status?.[field] ?? 0 };
}

export const controllerRevisionColumns: readonly KindColumn<ControllerRevision>[] = [
  nameColumn,
  {
    name: "Controller",
    description: "Whose revision it is",
    cell: (revision) => {
      const controller = controllerOf(revision);
      if (controller === undefined) return "<none>";
      const { group } = parseApiVersion(controller.apiVersion);
      const kind = controller.kind.toLowerCase();
      return `${group === "" ? kind : `${kind}.${group}`}/${controller.name}`;
    },
  },
  { name: "Revision", description: "Which revision it is", cell: ({ revision }) => revision },
  ageColumn,
];

export const podTemplateColumns: readonly KindColumn<PodTemplate>[] = [
  nameColumn,
  ...containerColumns<PodTemplate>(({ template }) => template).map((column) => ({
    ...column,
    isWide: false,
  })),
  {
    name: "Pod Labels",
    description: "Labels of the template",
    cell: ({ template }) => labelsText(template?.metadata?.labels),
  },
];
