import type { KubeObject, Resource } from "keelson";
import type { NamespacedMeta } from "keelson/low-level";

/** A condition of Cluster API, which is not quite one of Kubernetes. */
export interface CapiCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime: string;
}

interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface Cluster extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec: { readonly controlPlaneRef: Reference; readonly infrastructureRef: Reference };
  readonly status?: {
    readonly phase?: string;
    readonly infrastructureReady?: boolean;
    readonly controlPlaneReady?: boolean;
    readonly observedGeneration?: number;
    readonly conditions?: readonly CapiCondition[];
  };
}

export interface KubeadmControlPlane extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec: {
    readonly version: string;
    readonly replicas?: number;
    readonly machineTemplate: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
      readonly infrastructureRef: Reference;
    };
  };
  readonly status?: {
    readonly version?: string;
    readonly initialized?: boolean;
    readonly ready?: boolean;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly observedGeneration?: number;
    readonly conditions?: readonly CapiCondition[];
  };
}

export interface MachineDeployment extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec: {
    readonly clusterName: string;
    readonly replicas?: number;
    readonly template: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
      readonly spec: {
        readonly version: string;
        readonly bootstrap?: { readonly configRef?: Reference };
        readonly infrastructureRef: Reference;
      };
    };
  };
  readonly status?: {
    readonly phase?: string;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly observedGeneration?: number;
  };
}

export interface Machine extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec: {
    readonly clusterName: string;
    readonly version: string;
    readonly infrastructureRef: Reference;
  };
  readonly status?: {
    readonly phase?: string;
    readonly nodeRef?: { readonly name: string };
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly conditions?: readonly CapiCondition[];
  };
}

export interface OpenStackCluster extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec: {
    readonly identityRef: { readonly name: string };
    readonly controlPlaneEndpoint?: { readonly host: string; readonly port: number };
  };
  readonly status?: { readonly ready?: boolean };
}

export interface OpenStackMachineTemplate extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec: { readonly template: { readonly spec: { readonly flavor: string } } };
}

export interface OpenStackMachine extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec: { readonly flavor: string };
}

interface KubeadmConfigTemplate extends KubeObject {
  readonly metadata: NamespacedMeta;
}

const version = "v1beta1";
const scope = "Namespaced";
const core = { group: "cluster.x-k8s.io", version, scope } as const;
const infrastructure = { group: "infrastructure.cluster.x-k8s.io", version, scope } as const;

export const Cluster: Resource<Cluster> = { ...core, kind: "Cluster", plural: "clusters" };
export const Machine: Resource<Machine> = { ...core, kind: "Machine", plural: "machines" };
export const MachineDeployment: Resource<MachineDeployment> = {
  ...core,
  kind: "MachineDeployment",
  plural: "machinedeployments",
};
export const KubeadmControlPlane: Resource<KubeadmControlPlane> = {
  ...{ group: "controlplane.cluster.x-k8s.io", version, scope },
  kind: "KubeadmControlPlane",
  plural: "kubeadmcontrolplanes",
};
export const KubeadmConfigTemplate: Resource<KubeadmConfigTemplate> = {
  ...{ group: "bootstrap.cluster.x-k8s.io", version, scope },
  kind: "KubeadmConfigTemplate",
  plural: "kubeadmconfigtemplates",
};
export const OpenStackCluster: Resource<OpenStackCluster> = {
  ...infrastructure,
  kind: "OpenStackCluster",
  plural: "openstackclusters",
};
export const OpenStackMachineTemplate: Resource<OpenStackMachineTemplate> = {
  ...infrastructure,
  kind: "OpenStackMachineTemplate",
  plural: "openstackmachinetemplates",
};
export const OpenStackMachine: Resource<OpenStackMachine> = {
  ...infrastructure,
  kind: "OpenStackMachine",
  plural: "openstackmachines",
};

export const clusterNameLabel = "cluster.x-k8s.io/cluster-name";
export const controlPlaneLabel = "cluster.x-k8s.io/control-plane";
/** The template that a machine was made of. */
export const clonedFromAnnotation = "cluster.x-k8s.io/cloned-from-name";
