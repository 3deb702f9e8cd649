import type { KubeObject } from "@keelson/core";
import type { PersistentVolume, PersistentVolumeClaim } from "@keelson/core/kinds/core/v1";
import type {
  CSIDriver,
  CSINode,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from "@keelson/core/kinds/storage/v1";
import { ageColumn, type KindColumn, nameColumn, orNone } from "./column.ts";

const accessModes: readonly (readonly [string, string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

function accessText(modes: readonly string[] | undefined): string {
  return accessModes
    .filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

/** The annotation that preceded the field takes precedence. */
function storageClassOf({ metadata }: KubeObject, field: string | undefined): string {
  return metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? field ?? "";
}

export const volumeColumns: readonly KindColumn<PersistentVolume>[] = [
  nameColumn,
  { name: "Capacity", description: "Its size", cell: ({ spec }) => spec?.capacity?.storage ?? "0" },
  {
    name: "Access Modes",
    description: "How it may be mounted",
    cell: ({ spec }) => accessText(spec?.accessModes),
  },
  {
    name: "Reclaim Policy",
    description: "What becomes of it after its claim",
    cell: ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? "",
  },
  { name: "Status", description: "Its phase", cell: phaseOf },
  {
    name: "Claim",
    description: "The claim that it is bound to",
    cell: ({ spec }) =>
      spec?.claimRef === undefined ? "" : `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}`,
  },
  {
    name: "StorageClass",
    description: "Its class",
    cell: (volume) => storageClassOf(volume, volume.spec?.storageClassName),
  },
  attributesClassColumn<PersistentVolume>(),
  { name: "Reason", description: "Why it is in its phase", cell: ({ status }) => status?.reason ?? "" },
  ageColumn,
  volumeModeColumn<PersistentVolume>(),
];

export const claimColumns: readonly KindColumn<PersistentVolumeClaim>[] = [
  nameColumn,
  { name: "Status", description: "Its phase", cell: phaseOf },
  {
    name: "Volume",
    description: "The volume that it is bound to",
    cell: ({ spec }) => spec?.volumeName ?? "",
  },
  {
    name: "Capacity",
    description: "Size of the volume",
    cell: ({ spec, status }) => (spec?.volumeName ? (status?.capacity?.storage ?? "0") : ""),
  },
  {
    name: "Access Modes",
    description: "How the volume may be mounted",
    cell: ({ spec, status }) => (spec?.volumeName ? accessText(status?.accessModes) : ""),
  },
  {
    name: "StorageClass",
    description: "The class it asks for",
    cell: (claim) => storageClassOf(claim, claim.spec?.storageClassName),
  },
  attributesClassColumn<PersistentVolumeClaim>(),
  ageColumn,
  volumeModeColumn<PersistentVolumeClaim>(),
];

function phaseOf({
  metadata,
  status,
}: KubeObject & { readonly status?: { readonly phase?: string } }): string {
  return metadata.deletionTimestamp === undefined ? (status?.phase ?? "") : "Terminating";
}

interface VolumeSpec {
  readonly volumeAttributesClassName?: string;
  readonly volumeMode?: string;
}

function attributesClassColumn<T extends KubeObject & { readonly spec?: VolumeSpec }>(): KindColumn<T> {
  return {
    name: "VolumeAttributesClass",
    description: "Its class of attributes",
    cell: ({ spec }) => spec?.volumeAttributesClassName ?? "<unset>",
  };
}

function volumeModeColumn<T extends KubeObject & { readonly spec?: VolumeSpec }>(): KindColumn<T> {
  return {
    name: "VolumeMode",
    isWide: true,
    description: "Filesystem or block device",
    cell: ({ spec }) => spec?.volumeMode ?? "<unset>",
  };
}

const defaultClass = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export const storageClassColumns: readonly KindColumn<StorageClass>[] = [
  {
    ...nameColumn,
    cell: ({ metadata }) => {
      const isDefault = defaultClass.some((key) => metadata.annotations?.[key] === "true");
      return isDefault ? `${metadata.name} (default)` : (metadata.name ?? "");
    },
  },
  { name: "Provisioner", description: "Who makes its volumes", cell: ({ provisioner }) => provisioner },
  {
    name: "ReclaimPolicy",
    description: "What becomes of volumes after their claims",
    cell: ({ reclaimPolicy }) => reclaimPolicy ?? "Delete",
  },
  {
    name: "VolumeBindingMode",
    description: "When claims are bound",
    cell: ({ volumeBindingMode }) => volumeBindingMode ?? "Immediate",
  },
  {
    name: "AllowVolumeExpansion",
    description: "Whether claims may grow",
    cell: ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false,
  },
  ageColumn,
];

export const attributesClassColumns: readonly KindColumn<VolumeAttributesClass>[] = [
  nameColumn,
  { name: "DriverName", description: "Who understands it", cell: ({ driverName }) => driverName },
  ageColumn,
];

export const attachmentColumns: readonly KindColumn<VolumeAttachment>[] = [
  nameColumn,
  { name: "Attacher", format: "name", description: "Who attaches", cell: ({ spec }) => spec.attacher },
  { name: "PV", description: "The volume", cell: ({ spec }) => spec.source.persistentVolumeName ?? "" },
  { name: "Node", description: "Where to", cell: ({ spec }) => spec.nodeName },
  {
    name: "Attached",
    type: "boolean",
    description: "Whether it is",
    cell: ({ status }) => status?.attached ?? false,
  },
  ageColumn,
];

export const csiNodeColumns: readonly KindColumn<CSINode>[] = [
  nameColumn,
  {
    name: "Drivers",
    type: "integer",
    description: "Drivers on the node",
    cell: ({ spec }) => spec.drivers.length,
  },
  ageColumn,
];

export const csiDriverColumns: readonly KindColumn<CSIDriver>[] = [
  nameColumn,
  {
    name: "AttachRequired",
    type: "boolean",
    description: "Whether volumes are attached first",
    cell: ({ spec }) => spec.attachRequired ?? true,
  },
  {
    name: "PodInfoOnMount",
    type: "boolean",
    description: "Whether a mount call carries the pod",
    cell: ({ spec }) => spec.podInfoOnMount ?? false,
  },
  {
    name: "StorageCapacity",
    type: "boolean",
    description: "Whether it reports its capacity",
    cell: ({ spec }) => spec.storageCapacity ?? false,
  },
  {
    name: "TokenRequests",
    description: "Audiences of the tokens it needs",
    cell: ({ spec }) => spec.tokenRequests?.map(({ audience }) => audience).join(",") ?? "<unset>",
  },
  {
    name: "RequiresRepublish",
    type: "boolean",
    description: "Whether it is called again and again",
    cell: ({ spec }) => spec.requiresRepublish ?? false,
  },
  {
    name: "Modes",
    description: "Lifecycles of volumes it knows",
    cell: ({ spec }) => orNone(spec.volumeLifecycleModes?.join(",")),
  },
  ageColumn,
];
