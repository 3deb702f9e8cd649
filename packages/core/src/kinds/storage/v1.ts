// Generated from Kubernetes v1.36.2 by `npm run generate:kinds`; do not edit.
import type { ClusterMeta, Keyed, LabelSelector, ListMeta, NamespacedMeta } from "../../meta.ts";
import type { Resource } from "../../resource.ts";
import type { PersistentVolumeSpec, TopologySelectorTerm } from "../core/v1.ts";

export interface CSIDriver {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly kind: "CSIDriver";
  readonly metadata: ClusterMeta;
  readonly spec: CSIDriverSpec;
}

export const CSIDriver: Resource<CSIDriver> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSIDriver",
  plural: "csidrivers",
  scope: "Cluster",
};

export interface CSIDriverList {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly items: readonly CSIDriver[];
  readonly kind: "CSIDriverList";
  readonly metadata: ListMeta;
}

export interface CSIDriverSpec {
  readonly attachRequired?: boolean;
  readonly fsGroupPolicy?: string;
  readonly nodeAllocatableUpdatePeriodSeconds?: number;
  readonly podInfoOnMount?: boolean;
  readonly preventPodSchedulingIfMissing?: boolean;
  readonly requiresRepublish?: boolean;
  readonly seLinuxMount?: boolean;
  readonly serviceAccountTokenInSecrets?: boolean;
  readonly storageCapacity?: boolean;
  readonly tokenRequests?: readonly TokenRequest[];
  readonly volumeLifecycleModes?: readonly string[];
}

export interface CSINode {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly kind: "CSINode";
  readonly metadata: ClusterMeta;
  readonly spec: CSINodeSpec;
}

export const CSINode: Resource<CSINode> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSINode",
  plural: "csinodes",
  scope: "Cluster",
};

export interface CSINodeDriver {
  readonly allocatable?: VolumeNodeResources;
  readonly name: string;
  readonly nodeID: string;
  readonly topologyKeys?: readonly string[];
}

export interface CSINodeList {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly items: readonly CSINode[];
  readonly kind: "CSINodeList";
  readonly metadata: ListMeta;
}

export interface CSINodeSpec {
  readonly drivers: Keyed<CSINodeDriver, "name">;
}

export interface CSIStorageCapacity {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly capacity?: string;
  readonly kind: "CSIStorageCapacity";
  readonly maximumVolumeSize?: string;
  readonly metadata: NamespacedMeta;
  readonly nodeTopology?: LabelSelector;
  readonly storageClassName: string;
}

export const CSIStorageCapacity: Resource<CSIStorageCapacity> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSIStorageCapacity",
  plural: "csistoragecapacities",
  scope: "Namespaced",
};

export interface CSIStorageCapacityList {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly items: readonly CSIStorageCapacity[];
  readonly kind: "CSIStorageCapacityList";
  readonly metadata: ListMeta;
}

export interface StorageClass {
  readonly allowVolumeExpansion?: boolean;
  readonly allowedTopologies?: readonly TopologySelectorTerm[];
  readonly apiVersion: "storage.k8s.io/v1";
  readonly kind: "StorageClass";
  readonly metadata: ClusterMeta;
  readonly mountOptions?: readonly string[];
  readonly parameters?: Readonly<Record<string, string>>;
  readonly provisioner: string;
  readonly reclaimPolicy?: "Delete" | "Recycle" | "Retain";
  readonly volumeBindingMode?: "Immediate" | "WaitForFirstConsumer";
}

export const StorageClass: Resource<StorageClass> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "StorageClass",
  plural: "storageclasses",
  scope: "Cluster",
};

export interface StorageClassList {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly items: readonly StorageClass[];
  readonly kind: "StorageClassList";
  readonly metadata: ListMeta;
}

export interface TokenRequest {
  readonly audience: string;
  readonly expirationSeconds?: number;
}

export interface VolumeAttachment {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly kind: "VolumeAttachment";
  readonly metadata: ClusterMeta;
  readonly spec: VolumeAttachmentSpec;
  readonly status?: VolumeAttachmentStatus;
}

export const VolumeAttachment: Resource<VolumeAttachment> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "VolumeAttachment",
  plural: "volumeattachments",
  scope: "Cluster",
};

export interface VolumeAttachmentList {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly items: readonly VolumeAttachment[];
  readonly kind: "VolumeAttachmentList";
  readonly metadata: ListMeta;
}

export interface VolumeAttachmentSource {
  readonly inlineVolumeSpec?: PersistentVolumeSpec;
  readonly persistentVolumeName?: string;
}

export interface VolumeAttachmentSpec {
  readonly attacher: string;
  readonly nodeName: string;
  readonly source: VolumeAttachmentSource;
}

export interface VolumeAttachmentStatus {
  readonly attachError?: VolumeError;
  readonly attached: boolean;
  readonly attachmentMetadata?: Readonly<Record<string, string>>;
  readonly detachError?: VolumeError;
}

export interface VolumeAttributesClass {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly driverName: string;
  readonly kind: "VolumeAttributesClass";
  readonly metadata: ClusterMeta;
  readonly parameters?: Readonly<Record<string, string>>;
}

export const VolumeAttributesClass: Resource<VolumeAttributesClass> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "VolumeAttributesClass",
  plural: "volumeattributesclasses",
  scope: "Cluster",
};

export interface VolumeAttributesClassList {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly items: readonly VolumeAttributesClass[];
  readonly kind: "VolumeAttributesClassList";
  readonly metadata: ListMeta;
}

export interface VolumeError {
  readonly errorCode?: number;
  readonly message?: string;
  readonly time?: string;
}

export interface VolumeNodeResources {
  readonly count?: number;
}
