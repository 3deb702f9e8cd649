import type { AddonStatus, NodeStatus } from "../api/cluster.ts";
import type {
  AddonPhase,
  ClusterPhase,
  ControlPlanePhase,
  LeasePhase,
  NetworkingPhase,
  NodePhase,
  NodeRole,
} from "../api/phases.ts";

/** The parts of a Cluster, from the one that must exist first to the last. */
export interface ClusterParts {
  /** Undefined if the Cluster needs no Lease, and then its phase does not matter. */
  readonly leasePhase: LeasePhase | undefined;
  readonly networkingPhase: NetworkingPhase;
  readonly controlPlanePhase: ControlPlanePhase;
  readonly nodes: readonly NodeStatus[];
  readonly addons: readonly AddonStatus[];
}

/** The phase of the Cluster that follows from that of one part; undefined if the next part decides. */
type Verdicts<Phase extends string> = Readonly<Record<Phase, ClusterPhase | undefined>>;

const leaseVerdicts: Verdicts<LeasePhase> = {
  Creating: "Pending",
  Pending: "Pending",
  Starting: "Pending",
  Unknown: "Pending",
  Error: "Failed",
  Terminating: "Unhealthy",
  Terminated: "Unhealthy",
  Deleting: "Unhealthy",
  Active: undefined,
  Updating: undefined,
};

const networkingVerdicts: Verdicts<NetworkingPhase> = {
  Pending: "Reconciling",
  Provisioning: "Reconciling",
  Deleting: "Deleting",
  Failed: "Failed",
  Unknown: "Pending",
  Provisioned: undefined,
};

const controlPlaneVerdicts: Verdicts<ControlPlanePhase> = {
  Pending: "Reconciling",
  ScalingUp: "Reconciling",
  ScalingDown: "Reconciling",
  Upgrading: "Upgrading",
  Deleting: "Deleting",
  Failed: "Failed",
  Unknown: "Pending",
  Ready: undefined,
  // What is still under way is shown first.
  Unhealthy: undefined,
};

const nodesUnderWay: ReadonlySet<NodePhase> = new Set(["Pending", "Provisioning", "Deleting", "Deleted"]);
const badNodes: ReadonlySet<NodePhase> = new Set(["Unhealthy", "Failed", "Unknown"]);
const addonsUnderWay: ReadonlySet<AddonPhase> = new Set([
  ...(["Pending", "Preparing", "Installing", "Upgrading", "Uninstalling"] as const),
]);
const badAddons: ReadonlySet<AddonPhase> = new Set(["Failed", "Unknown"]);

/** The phase of a Cluster as a whole: that which follows from the first part that is not as it should be. */
export function clusterPhaseOf(parts: ClusterParts): ClusterPhase {
  const { leasePhase, networkingPhase } = parts;
  return (
    (leasePhase && leaseVerdicts[leasePhase]) ??
    networkingVerdicts[networkingPhase] ??
    controlPlaneVerdict(parts) ??
    nodesAndAddonsVerdict(parts)
  );
}

/** An upgrade replaces machines, so that the control plane also scales during one. */
function controlPlaneVerdict({ controlPlanePhase, nodes }: ClusterParts): ClusterPhase | undefined {
  const verdict = controlPlaneVerdicts[controlPlanePhase];
  return verdict === "Reconciling" && hasMixedVersions(nodes, "control-plane") ? "Upgrading" : verdict;
}

function nodesAndAddonsVerdict({ controlPlanePhase, nodes, addons }: ClusterParts): ClusterPhase {
  const hasNode = (phases: ReadonlySet<NodePhase>): boolean =>
    nodes.some(({ phase = "Unknown" }) => phases.has(phase));
  const hasAddon = (phases: ReadonlySet<AddonPhase>): boolean =>
    addons.some(({ phase = "Unknown" }) => phases.has(phase));
  if (hasMixedVersions(nodes, "worker")) return "Upgrading";
  if (hasNode(nodesUnderWay) || hasAddon(addonsUnderWay)) return "Reconciling";
  return controlPlanePhase === "Unhealthy" || hasNode(badNodes) || hasAddon(badAddons)
    ? "Unhealthy"
    : "Ready";
}

/** A version that is not known counts as one more. */
function hasMixedVersions(nodes: readonly NodeStatus[], role: NodeRole): boolean {
  const versions = nodes.filter((node) => node.role === role).map((node) => node.kubeletVersion ?? null);
  return new Set(versions).size > 1;
}
