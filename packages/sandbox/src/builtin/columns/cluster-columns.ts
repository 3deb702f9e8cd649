import type { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import type { APIService } from "@keelson/core/kinds/apiregistration/v1";
import type { CertificateSigningRequest } from "@keelson/core/kinds/certificates/v1";
import type { Lease } from "@keelson/core/kinds/coordination/v1";
import type { ComponentStatus, Namespace, Node } from "@keelson/core/kinds/core/v1";
import type { RuntimeClass } from "@keelson/core/kinds/node/v1";
import type { ResourceClaim, ResourceSlice } from "@keelson/core/kinds/resource/v1";
import type { PriorityClass } from "@keelson/core/kinds/scheduling/v1";
import { ageColumn, createdAtColumn, humanDuration, type KindColumn, nameColumn, orNone } from "./column.ts";

export const namespaceColumns: readonly KindColumn<Namespace>[] = [
  nameColumn,
  { name: "Status", description: "Its phase", cell: ({ status }) => status?.phase ?? "" },
  ageColumn,
];

export const nodeColumns: readonly KindColumn<Node>[] = [
  nameColumn,
  { name: "Status", description: "Whether it is ready and takes pods", cell: nodeStatus },
  { name: "Roles", description: "What it is for", cell: (node) => orNone(nodeRoles(node).join(",")) },
  ageColumn,
  {
    name: "Version",
    description: "Version of its kubelet",
    cell: ({ status }) => status?.nodeInfo?.kubeletVersion ?? "",
  },
  addressColumn("Internal-IP", "InternalIP"),
  addressColumn("External-IP", "ExternalIP"),
  {
    name: "OS-Image",
    isWide: true,
    description: "Operating system",
    cell: ({ status }) => status?.nodeInfo?.osImage || "<unknown>",
  },
  {
    name: "Kernel-Version",
    isWide: true,
    description: "Kernel and architecture",
    cell: ({ status }) => {
      const { kernelVersion, architecture } = status?.nodeInfo ?? {};
      return `${kernelVersion || "<unknown>"}${architecture ? ` (${architecture})` : ""}`;
    },
  },
  {
    name: "Container-Runtime",
    isWide: true,
    description: "What runs its containers",
    cell: ({ status }) => status?.nodeInfo?.containerRuntimeVersion || "<unknown>",
  },
];

function nodeStatus({ spec, status }: Node): string {
  const ready = status?.conditions?.findLast(({ type }) => type === "Ready");
  const text = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable === true ? `${text},SchedulingDisabled` : text;
}

const rolePrefix = "node-role.kubernetes.io/";

function nodeRoles({ metadata }: Node): readonly string[] {
  const roles = Object.entries(metadata.labels ?? {}).map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length);
    return key === "kubernetes.io/role" ? value : "";
  });
  return [...new Set(roles.filter((role) => role !== ""))].sort();
}

function addressColumn(name: string, wanted: string): KindColumn<Node> {
  return {
    name,
    isWide: true,
    description: "First address of that kind",
    cell: ({ status }) => orNone(status?.addresses?.find(({ type }) => type === wanted)?.address),
  };
}

export const componentStatusColumns: readonly KindColumn<ComponentStatus>[] = [
  nameColumn,
  {
    name: "Status",
    description: "Whether it is healthy",
    cell: (component) => {
      const condition = healthOf(component);
      if (condition === undefined) return "Unknown";
      return condition.status === "True" ? "Healthy" : "Unhealthy";
    },
  },
  { name: "Message", description: "What it says", cell: (component) => healthOf(component)?.message ?? "" },
  { name: "Error", description: "What is wrong", cell: (component) => healthOf(component)?.error ?? "" },
];

function healthOf({
  conditions,
}: ComponentStatus):
  | { readonly status: string; readonly message?: string; readonly error?: string }
  | undefined {
  return conditions?.find(({ type }) => type === "Healthy");
}

export const leaseColumns: readonly KindColumn<Lease>[] = [
  nameColumn,
  { name: "Holder", description: "Who holds it", cell: ({ spec }) => spec?.holderIdentity ?? "" },
  ageColumn,
];

export const runtimeClassColumns: readonly KindColumn<RuntimeClass>[] = [
  nameColumn,
  { name: "Handler", description: "", cell: ({ handler }) => handler },
  ageColumn,
];

export const priorityClassColumns: readonly KindColumn<PriorityClass>[] = [
  nameColumn,
  { name: "Value", type: "integer", description: "The priority", cell: ({ value }) => value ?? 0 },
  {
    name: "Global-Default",
    type: "boolean",
    description: "Whether pods without a class have it",
    cell: ({ globalDefault }) => globalDefault ?? false,
  },
  ageColumn,
  {
    name: "PreemptionPolicy",
    description: "Whether pods of the class preempt other pods",
    cell: ({ preemptionPolicy }) => preemptionPolicy ?? "",
  },
];

export const signingRequestColumns: readonly KindColumn<CertificateSigningRequest>[] = [
  nameColumn,
  ageColumn,
  { name: "SignerName", description: "Who is to sign", cell: ({ spec }) => orNone(spec.signerName) },
  { name: "Requestor", description: "Who asks", cell: ({ spec }) => spec.username ?? "" },
  {
    name: "RequestedDuration",
    description: "For how long",
    cell: ({ spec }) =>
      spec.expirationSeconds === undefined ? "<none>" : humanDuration(spec.expirationSeconds * 1000),
  },
  { name: "Condition", description: "How far it is", cell: signingCondition },
];

function signingCondition({ status }: CertificateSigningRequest): string {
  const has = (wanted: string): boolean => status?.conditions?.some(({ type }) => type === wanted) === true;
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${decision}${has("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`;
}

export const apiServiceColumns: readonly KindColumn<APIService>[] = [
  nameColumn,
  {
    name: "Service",
    description: "Who serves it",
    cell: ({ spec }) =>
      spec?.service === undefined ? "Local" : `${spec.service.namespace ?? ""}/${spec.service.name ?? ""}`,
  },
  {
    name: "Available",
    description: "Whether it is served",
    cell: ({ status }) => {
      const condition = status?.conditions?.find(({ type }) => type === "Available");
      if (condition === undefined) return "Unknown";
      return condition.status === "True" ? "True" : `${condition.status} (${condition.reason ?? ""})`;
    },
  },
  ageColumn,
];

export const definitionColumns: readonly KindColumn<CustomResourceDefinition>[] = [
  nameColumn,
  createdAtColumn,
];

export const resourceClaimColumns: readonly KindColumn<ResourceClaim>[] = [
  nameColumn,
  { name: "State", description: "How far it is", cell: claimState },
  ageColumn,
];

function claimState({ metadata, status }: ResourceClaim): string {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const states = isDeleted ? ["deleted"] : [];
  if (status?.allocation === undefined) {
    if (!isDeleted) states.push("pending");
  } else {
    states.push("allocated");
    if ((status.reservedFor ?? []).length > 0) states.push("reserved");
  }
  return states.join(",");
}

export const resourceSliceColumns: readonly KindColumn<ResourceSlice>[] = [
  nameColumn,
  { name: "Node", description: "Where the devices are", cell: ({ spec }) => spec.nodeName ?? "" },
  { name: "Driver", description: "Who offers them", cell: ({ spec }) => spec.driver },
  { name: "Pool", description: "The pool they belong to", cell: ({ spec }) => spec.pool.name },
  ageColumn,
];
