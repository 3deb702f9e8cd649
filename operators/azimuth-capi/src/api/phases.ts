/** The phases of a Cluster as a whole. */
export const clusterPhases = [
  "Pending",
  "Reconciling",
  "Upgrading",
  "Ready",
  "Deleting",
  "Unhealthy",
  "Failed",
  "Unknown",
] as const;
export type ClusterPhase = (typeof clusterPhases)[number];

/** The phases of a Lease of the schedule operator. */
export const leasePhases = [
  "Creating",
  "Pending",
  "Starting",
  "Active",
  "Updating",
  "Terminating",
  "Terminated",
  "Deleting",
  "Error",
  "Unknown",
] as const;
export type LeasePhase = (typeof leasePhases)[number];

/** The phases of a Cluster of Cluster API. */
export const networkingPhases = [
  "Pending",
  "Provisioning",
  "Provisioned",
  "Deleting",
  "Failed",
  "Unknown",
] as const;
export type NetworkingPhase = (typeof networkingPhases)[number];

/** What the conditions of a KubeadmControlPlane come to. */
export const controlPlanePhases = [
  "Pending",
  "ScalingUp",
  "ScalingDown",
  "Upgrading",
  "Ready",
  "Deleting",
  "Unhealthy",
  "Failed",
  "Unknown",
] as const;
export type ControlPlanePhase = (typeof controlPlanePhases)[number];

/** What a Machine comes to. */
export const nodePhases = [
  "Pending",
  "Provisioning",
  "Ready",
  "Deleting",
  "Deleted",
  "Unhealthy",
  "Failed",
  "Unknown",
] as const;
export type NodePhase = (typeof nodePhases)[number];

/** The phases of a HelmRelease or Manifests of the addon provider. */
export const addonPhases = [
  "Unknown",
  "Pending",
  "Preparing",
  "Deployed",
  "Failed",
  "Installing",
  "Upgrading",
  "Uninstalling",
] as const;
export type AddonPhase = (typeof addonPhases)[number];

export const nodeRoles = ["control-plane", "worker", "Unknown"] as const;
export type NodeRole = (typeof nodeRoles)[number];

/** The phase if it is one of those that are known, or else Unknown: other projects may add phases. */
export function knownPhase<const Phase extends string>(
  phases: readonly Phase[],
  phase: string | undefined,
): Phase | "Unknown" {
  return phases.find((known) => known === phase) ?? "Unknown";
}
