import type { ControlPlanePhase } from "../api/phases.ts";
import type { CapiCondition, KubeadmControlPlane } from "../neighbours/cluster-api.ts";

/** What the status of a Cluster says of its control plane. */
export interface ControlPlaneStatus {
  readonly phase: ControlPlanePhase;
  /** Without the leading `v`; undefined while it is not known. */
  readonly kubernetesVersion: string | undefined;
}

/** Reasons of a control plane that is not ready, as its controller gives them. */
const phasesByReason: ReadonlyMap<string, ControlPlanePhase> = new Map([
  ["ScalingUp", "ScalingUp"],
  ["ScalingDown", "ScalingDown"],
  ["RollingUpdateInProgress", "Upgrading"],
  ["Deleting", "Deleting"],
]);

/** The phase of a control plane, which has none of its own: its conditions decide. */
export function controlPlaneStatusOf(controlPlane: KubeadmControlPlane | undefined): ControlPlaneStatus {
  if (controlPlane === undefined) return { phase: "Unknown", kubernetesVersion: undefined };
  const { spec, status } = controlPlane;
  // From v1beta2 on, the conditions have other types and reasons, and those of v1beta1 are kept elsewhere.
  const conditions = status?.deprecated?.v1beta1?.conditions ?? status?.conditions ?? [];
  return {
    phase: phaseOf(conditions),
    // The status has the version that runs; the spec has the one to come, until there is one that runs.
    kubernetesVersion: plainVersion(status?.version) ?? plainVersion(spec?.version),
  };
}

function phaseOf(conditions: readonly CapiCondition[]): ControlPlanePhase {
  const find = (type: string): CapiCondition | undefined => conditions.find((each) => each.type === type);
  const ready = find("Ready");
  if (ready === undefined) return "Pending";
  if (ready.status !== "True") return phaseOfReason(ready.reason ?? "");
  return find("ControlPlaneComponentsHealthy")?.status === "True" ? "Ready" : "Unhealthy";
}

function phaseOfReason(reason: string): ControlPlanePhase {
  if (reason.startsWith("Waiting")) return "ScalingUp";
  // A reason that is not known, or none, must not hide that the control plane is not ready.
  return phasesByReason.get(reason) ?? "Unhealthy";
}

/** A version of Kubernetes without the leading `v`, which Cluster API demands and users do not write. */
export function plainVersion(version: string | undefined): string | undefined {
  return version?.replace(/^v+/, "") || undefined;
}
