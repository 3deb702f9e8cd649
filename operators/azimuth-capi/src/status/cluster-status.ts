import { formatTime } from "keelson";
import { type ClusterSpec, type ClusterStatus, type ServiceStatus, statusFields } from "../api/cluster.ts";
import { type ClusterPhase, knownPhase, leasePhases, networkingPhases } from "../api/phases.ts";
import type { CapiCluster, KubeadmControlPlane } from "../neighbours/cluster-api.ts";
import type { Lease } from "../neighbours/scheduling.ts";
import { addonStatusesOf, type ObservedAddons } from "./addon-status.ts";
import { clusterPhaseOf } from "./cluster-phase.ts";
import { controlPlaneStatusOf } from "./control-plane-status.ts";
import { nodeStatusOf, type ObservedMachine } from "./node-status.ts";

/** All that the status of a Cluster is made of, as the caches have it. */
export interface ObservedCluster extends ObservedAddons {
  readonly lease: Lease | undefined;
  readonly capiCluster: CapiCluster | undefined;
  readonly controlPlane: KubeadmControlPlane | undefined;
  readonly machines: readonly ObservedMachine[];
  /** The Secret with the kubeconfig for users; undefined while there is none. */
  readonly kubeconfigSecretName: string | undefined;
  readonly services: Readonly<Record<string, ServiceStatus>>;
}

/** What the status depends on beside the objects. */
export interface StatusFacts {
  readonly spec: ClusterSpec;
  readonly previous: ClusterStatus | undefined;
  readonly nowMs: number;
  /** A Cluster that is in transition for longer is unhealthy. */
  readonly timeoutMs: number;
  /** Whether the spec has been handled as it is now. */
  readonly isHandled: boolean;
  /** Whether this reconcile has just handled the spec: what it caused begins now. */
  readonly hasJustHandled: boolean;
}

/**
 * The status of a Cluster, as a whole. It is computed from all objects at once and never changed piece by piece, so that an
 * event that was missed cannot leave anything behind. Fields that have their default are left out, and fields of other
 * programs stay.
 */
export function clusterStatusOf(observed: ObservedCluster, facts: StatusFacts): ClusterStatus {
  const { kubeconfigSecretName } = observed;
  const leasePhase = knownPhase(leasePhases, observed.lease?.status?.phase);
  const networkingPhase = knownPhase(networkingPhases, observed.capiCluster?.status?.phase);
  const { phase: controlPlanePhase, kubernetesVersion } = controlPlaneStatusOf(observed.controlPlane);
  const nodes = nodesOf(observed.machines);
  const addons = addonStatusesOf(observed);
  const services = servicesOf(observed.services);
  const nodeCount = Object.keys(nodes).length;
  const addonCount = Object.keys(addons).length;
  const components = clusterPhaseOf({
    ...{ networkingPhase, controlPlanePhase, nodes: Object.values(nodes), addons: Object.values(addons) },
    leasePhase: facts.spec.leaseName === undefined ? undefined : leasePhase,
  });
  const { phase, lastUpdated } = transitionOf(components, facts);
  return {
    ...foreignFields(facts.previous),
    phase,
    ...(leasePhase !== "Unknown" && { leasePhase }),
    ...(networkingPhase !== "Unknown" && { networkingPhase }),
    ...(controlPlanePhase !== "Unknown" && { controlPlanePhase }),
    ...(kubernetesVersion !== undefined && { kubernetesVersion }),
    ...(kubeconfigSecretName !== undefined && { kubeconfigSecretName }),
    ...(nodeCount > 0 && { nodeCount, nodes }),
    ...(addonCount > 0 && { addonCount, addons }),
    ...(Object.keys(services).length > 0 && { services }),
    ...(lastUpdated !== undefined && { lastUpdated }),
  };
}

function foreignFields(status: ClusterStatus = {}): ClusterStatus {
  return Object.fromEntries(Object.entries(status).filter(([field]) => !statusFields.has(field)));
}

const inTransition: ReadonlySet<ClusterPhase> = new Set(["Pending", "Reconciling", "Upgrading"]);

/**
 * The phase with regard to time. A transition begins when the Cluster stops being ready, or when its spec has been handled,
 * and it ends when the Cluster is ready or has failed. One that takes too long makes the Cluster unhealthy, until it ends.
 *
 * A spec that has not been handled is a transition, too, also if all components are ready: otherwise a change that can never be
 * made would go unnoticed. A paused Cluster waits for nothing.
 */
function transitionOf(
  components: ClusterPhase,
  { spec, previous, nowMs, timeoutMs, isHandled, hasJustHandled }: StatusFacts,
): { readonly phase: ClusterPhase; readonly lastUpdated: string | undefined } {
  const isWaiting = !(isHandled || hasJustHandled || spec.paused);
  const phase = components === "Ready" && isWaiting ? "Reconciling" : components;
  if (phase === "Ready" || phase === "Failed") return { phase, lastUpdated: undefined };
  const earlier = hasJustHandled ? undefined : validTime(previous?.lastUpdated);
  const lastUpdated = earlier ?? formatTime(nowMs);
  const isLate = nowMs > Date.parse(lastUpdated) + timeoutMs;
  return { phase: isLate && inTransition.has(phase) ? "Unhealthy" : phase, lastUpdated };
}

function validTime(time: string | null | undefined): string | undefined {
  return typeof time === "string" && Number.isFinite(Date.parse(time)) ? time : undefined;
}

/** Sorted, so that the order of the caches does not show. */
function nodesOf(machines: readonly ObservedMachine[]): NonNullable<ClusterStatus["nodes"]> {
  const nodes = new Map(
    machines.map((observed) => [observed.machine.metadata.name ?? "", nodeStatusOf(observed)]),
  );
  return Object.fromEntries([...nodes].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function servicesOf(
  services: Readonly<Record<string, ServiceStatus>>,
): NonNullable<ClusterStatus["services"]> {
  return Object.fromEntries(
    Object.entries(services).map(([name, { iconUrl, description, ...service }]) => [
      name,
      { ...service, ...(iconUrl && { iconUrl }), ...(description && { description }) },
    ]),
  );
}
