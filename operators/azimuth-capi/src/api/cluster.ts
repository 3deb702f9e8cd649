import {
  conditions,
  type DefinedResource,
  defineResource,
  type Immutable,
  type ObjectOf,
  type Stored,
  z,
} from "keelson";
import {
  addonPhases,
  clusterPhases,
  controlPlanePhases,
  leasePhases,
  networkingPhases,
  nodePhases,
  nodeRoles,
} from "./phases.ts";

/** Where the kinds are: the group can be configured, as several Azimuths may share a cluster. */
export interface KindNames {
  readonly apiGroup: string;
  readonly crdCategories: readonly string[];
}

const text = z.string().min(1);
const count = z.int().min(0);

/** Fields without a value may be absent, or null: the Azimuth API writes nulls. */
const nodeGroup = z.object({
  name: text,
  machineSize: text.describe("The name of the flavor of its machines"),
  autoscale: z.boolean().nullish(),
  count: count.nullish().describe("How many machines it has, unless it is autoscaled"),
  minCount: z.int().min(1).nullish(),
  maxCount: z.int().min(1).nullish(),
});

const volumeSize = z.int().positive().nullish().describe("In GB; default: 10");

const addons = z.object({
  dashboard: z.boolean().nullish().describe("Not used any more"),
  ingress: z.boolean().nullish(),
  ingressControllerLoadBalancerIp: z.ipv4().nullish(),
  monitoring: z.boolean().nullish(),
  monitoringAlertmanagerVolumeSize: volumeSize,
  monitoringPrometheusVolumeSize: volumeSize,
  monitoringLokiVolumeSize: volumeSize,
});

/** The schema of a spec has no defaults: what is stored is what was written, and `specOf` adds them. */
const spec = z.object({
  label: text.describe("The name for people"),
  templateName: text.describe("The name of a ClusterTemplate"),
  cloudCredentialsSecretName: text.describe("A Secret in the same namespace, with the key clouds.yaml"),
  zenithIdentityRealmName: text.nullish().describe("Default: the first Realm of the namespace"),
  leaseName: text.nullish().describe("A Lease that must be active; default: none is needed"),
  paused: z.boolean().nullish().describe("Whether nothing is done for this Cluster"),
  autohealing: z.boolean().nullish().describe("Whether unhealthy machines are replaced; default: true"),
  controlPlaneMachineSize: text.describe("The name of the flavor of the control plane's machines"),
  nodeGroups: z.array(nodeGroup).nullish(),
  addons: addons.nullish(),
  createdByUsername: z.string().nullish(),
  createdByUserId: z.string().nullish(),
  updatedByUsername: z.string().nullish(),
  updatedByUserId: z.string().nullish(),
});

const node = z.looseObject({
  role: z.enum(nodeRoles).exactOptional(),
  phase: z.enum(nodePhases).exactOptional(),
  size: text.nullable().exactOptional(),
  ip: z.string().nullable().exactOptional(),
  ips: z.array(z.string()).exactOptional(),
  kubeletVersion: z.string().nullable().exactOptional(),
  nodeGroup: z.string().nullable().exactOptional(),
  created: z.iso.datetime().nullable().exactOptional(),
});

const addon = z.looseObject({
  phase: z.enum(addonPhases).exactOptional(),
  revision: count.exactOptional(),
});

const service = z.looseObject({
  subdomain: text,
  fqdn: text,
  label: text,
  iconUrl: z.string().nullable().exactOptional(),
  description: z.string().nullable().exactOptional(),
});

/** A field is absent if it has its default, which the description names. */
const status = z.looseObject({
  phase: z.enum(clusterPhases).exactOptional().describe("Default: Unknown"),
  leasePhase: z.enum(leasePhases).exactOptional().describe("Of the Lease; default: Unknown"),
  networkingPhase: z
    .enum(networkingPhases)
    .exactOptional()
    .describe("Of the Cluster of Cluster API; default: Unknown"),
  controlPlanePhase: z.enum(controlPlanePhases).exactOptional().describe("Default: Unknown"),
  kubernetesVersion: z.string().nullable().exactOptional(),
  kubeconfigSecretName: z
    .string()
    .nullable()
    .exactOptional()
    .describe("The Secret with the kubeconfig for users"),
  nodeCount: z.int().exactOptional(),
  nodes: z.record(z.string(), node).exactOptional().describe("By the name of the Machine"),
  addonCount: z.int().exactOptional(),
  addons: z.record(z.string(), addon).exactOptional().describe("By component"),
  services: z.record(z.string(), service).exactOptional().describe("What Zenith serves of this cluster"),
  lastUpdated: z.iso.datetime().nullable().exactOptional().describe("When the current transition began"),
  // Not known to the original, whose clients ignore it.
  conditions: conditions().exactOptional(),
});

/** The names of all fields that the operator may write; others are of other programs. */
export const statusFields: ReadonlySet<string> = new Set(Object.keys(status.shape));

/** The kind of the Kubernetes clusters of tenants: `kubectl get clusters.azimuth.stackhpc.com`. */
export function clusterKind({
  apiGroup,
  crdCategories,
}: KindNames): DefinedResource<string, "v1alpha1", "Cluster", typeof spec, typeof status> {
  return defineResource({
    group: apiGroup,
    version: "v1alpha1",
    kind: "Cluster",
    categories: crdCategories,
    description: "A Kubernetes cluster of a tenant",
    spec,
    status,
    printerColumns: [
      { name: "Label", type: "string", jsonPath: ".spec.label" },
      { name: "Template", type: "string", jsonPath: ".spec.templateName" },
      { name: "Kubernetes Version", type: "string", jsonPath: ".status.kubernetesVersion" },
      { name: "Paused", type: "boolean", jsonPath: ".spec.paused" },
      { name: "Phase", type: "string", jsonPath: ".status.phase" },
      { name: "Control Plane", type: "string", jsonPath: ".status.controlPlanePhase", priority: 1 },
      { name: "Node Count", type: "integer", jsonPath: ".status.nodeCount" },
      { name: "Addon Count", type: "integer", jsonPath: ".status.addonCount", priority: 1 },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
  });
}

export type ClusterKind = ReturnType<typeof clusterKind>;
/** A Cluster of Azimuth, as opposed to one of Cluster API. */
export type Cluster = ObjectOf<ClusterKind>;

/** The spec as it is stored, with absent and null fields. */
export type StoredClusterSpec = Immutable<z.output<typeof spec>>;
export type ClusterStatus = Immutable<z.output<typeof status>>;
export type NodeStatus = Immutable<z.output<typeof node>>;
export type AddonStatus = Immutable<z.output<typeof addon>>;
export type ServiceStatus = Immutable<z.output<typeof service>>;

/** The spec of a Cluster with its defaults: the operator works with nothing else. */
export interface ClusterSpec {
  readonly label: string;
  readonly templateName: string;
  readonly cloudCredentialsSecretName: string;
  readonly zenithIdentityRealmName: string | undefined;
  readonly leaseName: string | undefined;
  readonly paused: boolean;
  readonly autohealing: boolean;
  readonly controlPlaneMachineSize: string;
  readonly nodeGroups: readonly NodeGroup[];
  readonly addons: ClusterAddons;
}

export interface NodeGroup {
  readonly name: string;
  readonly machineSize: string;
  readonly autoscale: boolean;
  readonly count: number | undefined;
  readonly minCount: number | undefined;
  readonly maxCount: number | undefined;
}

export interface ClusterAddons {
  readonly ingress: boolean;
  readonly ingressControllerLoadBalancerIp: string | undefined;
  readonly monitoring: boolean;
  /** In GB, as the other sizes. */
  readonly monitoringAlertmanagerVolumeSize: number;
  readonly monitoringPrometheusVolumeSize: number;
  readonly monitoringLokiVolumeSize: number;
}

const defaultVolumeSize = 10;

/** The spec of a Cluster with its defaults. */
export function specOf({ spec: stored }: Pick<Stored<Cluster>, "spec">): ClusterSpec {
  const addonsOf = stored.addons ?? {};
  return {
    label: stored.label,
    templateName: stored.templateName,
    cloudCredentialsSecretName: stored.cloudCredentialsSecretName,
    zenithIdentityRealmName: stored.zenithIdentityRealmName ?? undefined,
    leaseName: stored.leaseName ?? undefined,
    paused: stored.paused ?? false,
    autohealing: stored.autohealing ?? true,
    controlPlaneMachineSize: stored.controlPlaneMachineSize,
    nodeGroups: (stored.nodeGroups ?? []).map((group) => ({
      name: group.name,
      machineSize: group.machineSize,
      autoscale: group.autoscale ?? false,
      count: group.count ?? undefined,
      minCount: group.minCount ?? undefined,
      maxCount: group.maxCount ?? undefined,
    })),
    addons: {
      ingress: addonsOf.ingress ?? false,
      ingressControllerLoadBalancerIp: addonsOf.ingressControllerLoadBalancerIp ?? undefined,
      monitoring: addonsOf.monitoring ?? false,
      monitoringAlertmanagerVolumeSize: addonsOf.monitoringAlertmanagerVolumeSize ?? defaultVolumeSize,
      monitoringPrometheusVolumeSize: addonsOf.monitoringPrometheusVolumeSize ?? defaultVolumeSize,
      monitoringLokiVolumeSize: addonsOf.monitoringLokiVolumeSize ?? defaultVolumeSize,
    },
  };
}
