import type { NodeStatus } from "../api/cluster.ts";
import { componentLabel, nodeGroupLabel } from "../api/names.ts";
import { knownPhase, type NodePhase, nodePhases, nodeRoles } from "../api/phases.ts";
import type { Machine } from "../neighbours/cluster-api.ts";
import { plainVersion } from "./control-plane-status.ts";

/** A Machine and what the machine of the cloud behind it says. */
export interface ObservedMachine {
  readonly machine: Machine;
  /** Of the machine of the cloud; undefined while there is none. */
  readonly flavor: string | undefined;
}

/** The node that a Machine is or becomes. Fields that have their default are left out. */
export function nodeStatusOf({ machine, flavor }: ObservedMachine): NodeStatus {
  const { metadata, spec, status } = machine;
  const { labels = {}, creationTimestamp } = metadata;
  const role = knownPhase(nodeRoles, labels[componentLabel]);
  const phase = phaseOf(status);
  const ips = (status?.addresses ?? []).flatMap(({ type, address }) =>
    type === "InternalIP" && address ? [address] : [],
  );
  const [ip] = ips;
  const kubeletVersion = plainVersion(spec?.version);
  const nodeGroup = labels[nodeGroupLabel];
  return {
    ...(role !== "Unknown" && { role }),
    ...(phase !== "Unknown" && { phase }),
    ...(flavor && { size: flavor }),
    ...(ip !== undefined && { ip, ips }),
    ...(kubeletVersion !== undefined && { kubeletVersion }),
    ...(nodeGroup && { nodeGroup }),
    ...(creationTimestamp !== undefined && { created: creationTimestamp }),
  };
}

/** Ready and Unhealthy are phases of nodes only. */
const machinePhases = nodePhases.filter((phase) => phase !== "Ready" && phase !== "Unhealthy");

/**
 * Users care whether a machine that runs is healthy, and not whether one that is being provisioned has an address already.
 * All other phases are those of the Machine.
 */
function phaseOf(status: Machine["status"]): NodePhase {
  const phase = status?.phase;
  if (phase === "Provisioned") return "Provisioning";
  if (phase !== "Running") return knownPhase(machinePhases, phase);
  const healthy = status?.conditions?.find(({ type }) => type === "NodeHealthy");
  return healthy?.status === "True" ? "Ready" : "Unhealthy";
}
