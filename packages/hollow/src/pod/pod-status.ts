import type { PodStatus } from "keelson/kinds/core/v1";
import type { ContainerStatuses } from "./containers.ts";
import { updateConditions } from "./pod-conditions.ts";
import { phaseOf } from "./pod-phase.ts";
import type { PodSituation } from "./situation.ts";

/** What a pod's status is made from. */
export interface PodFacts {
  readonly containers: ContainerStatuses;
  readonly startTime: string;
  /** It has an address, and containers can start. */
  readonly hasSandbox: boolean;
  /** It was ended from outside, so that its phase does not follow from its containers. */
  readonly end?: {
    readonly phase: "Succeeded" | "Failed";
    readonly reason?: string;
    readonly message?: string;
  };
}

/** The whole status; what other writers have put into it stays. */
export function makePodStatus(situation: PodSituation, facts: PodFacts): PodStatus {
  const { pod, node } = situation;
  const { containers, startTime, end } = facts;
  const old = pod.status ?? {};
  const phase = end?.phase ?? phaseOf(pod, containers);
  const isOver = phase === "Succeeded" || phase === "Failed";
  const { generation: observedGeneration } = pod.metadata;
  const podIP = old.podIP ?? (facts.hasSandbox ? podAddress(situation) : undefined);
  const conditions = updateConditions(situation, {
    containers,
    phase,
    hasSandbox: facts.hasSandbox && !isOver,
  });
  return {
    ...old,
    phase,
    conditions,
    startTime,
    ...(observedGeneration !== undefined && { observedGeneration }),
    ...(end?.reason !== undefined && { reason: end.reason }),
    ...(end?.message !== undefined && { message: end.message }),
    hostIP: node.address,
    hostIPs: [{ ip: node.address }],
    ...(podIP !== undefined && { podIP, podIPs: [{ ip: podIP }] }),
    ...(containers.init.length > 0 && { initContainerStatuses: containers.init }),
    containerStatuses: containers.regular,
  };
}

function podAddress({ pod, node, podIP }: PodSituation): string {
  return pod.spec?.hostNetwork === true ? node.address : podIP;
}
