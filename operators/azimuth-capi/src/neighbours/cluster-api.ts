import type { KubeObject, Resource } from "keelson";
import { ifServed } from "keelson/cache";
import type { NamespacedMeta } from "keelson/low-level";

/** A condition of Cluster API, whose reason may be absent. */
export interface CapiCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
}

/** A Cluster of Cluster API, as opposed to one of Azimuth. */
export interface CapiCluster extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly status?: { readonly phase?: string };
}

export interface KubeadmControlPlane extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec?: { readonly version?: string };
  readonly status?: {
    readonly version?: string;
    readonly conditions?: readonly CapiCondition[];
    /** In v1beta2: the conditions as v1beta1 has them. */
    readonly deprecated?: { readonly v1beta1?: { readonly conditions?: readonly CapiCondition[] } };
  };
}

export interface Machine extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec?: {
    readonly version?: string;
    readonly infrastructureRef?: {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly name?: string;
      readonly namespace?: string;
    };
  };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly CapiCondition[];
    readonly addresses?: readonly { readonly type?: string; readonly address?: string }[];
  };
}

/** The machine of a cloud that a Machine refers to. */
interface OpenStackMachine extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec?: { readonly flavor?: string };
}

/** The kinds of Cluster API that the operator reads. Helm writes them. */
export interface ClusterApiKinds {
  readonly CapiCluster: Resource<CapiCluster>;
  readonly KubeadmControlPlane: Resource<KubeadmControlPlane>;
  readonly Machine: Resource<Machine>;
  readonly OpenStackMachine: Resource<OpenStackMachine>;
}

export interface ClusterApiVersions {
  /** Of Cluster API itself, such as `v1beta1`. */
  readonly version: string;
  /** Of its provider for OpenStack. */
  readonly infrastructureVersion: string;
}

export function clusterApiKinds({ version, infrastructureVersion }: ClusterApiVersions): ClusterApiKinds {
  const scope = "Namespaced";
  const core = { group: "cluster.x-k8s.io", version, scope } as const;
  return {
    CapiCluster: ifServed({ ...core, kind: "Cluster", plural: "clusters" }),
    Machine: ifServed({ ...core, kind: "Machine", plural: "machines" }),
    KubeadmControlPlane: ifServed({
      ...{ group: "controlplane.cluster.x-k8s.io", version, scope },
      ...{ kind: "KubeadmControlPlane", plural: "kubeadmcontrolplanes" },
    }),
    OpenStackMachine: ifServed({
      ...{ group: "infrastructure.cluster.x-k8s.io", version: infrastructureVersion, scope },
      ...{ kind: "OpenStackMachine", plural: "openstackmachines" },
    }),
  };
}
