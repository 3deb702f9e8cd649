import { formatTime } from "keelson";
import type { PodCondition, PodStatus } from "keelson/kinds/core/v1";
import { type ContainerStatuses, containersOf, isInitialized, isSidecar } from "./containers.ts";
import type { PodSituation } from "./situation.ts";

/** What the conditions of a pod are made from. */
export interface ConditionFacts {
  readonly containers: ContainerStatuses;
  readonly phase: NonNullable<PodStatus["phase"]>;
  readonly hasSandbox: boolean;
}

interface Finding {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

/** The pod's conditions with the kubelet's own brought up to date. Those of other writers stay, and so does the order. */
export function updateConditions(situation: PodSituation, facts: ConditionFacts): readonly PodCondition[] {
  const { pod, nowMs } = situation;
  const old = pod.status?.conditions ?? [];
  const containersReady = findContainersReady(situation, facts);
  const findings: Finding[] = [
    { type: "PodReadyToStartContainers", status: facts.hasSandbox ? "True" : "False" },
    findInitialized(situation, facts),
    findReady(situation, containersReady),
    containersReady,
  ];
  // The scheduler sets this on the pods that it binds; a pod may also be created with a node.
  if (!old.some(({ type }) => type === "PodScheduled")) {
    findings.push({ type: "PodScheduled", status: "True" });
  }
  const updated = findings.map((finding) => {
    const before = old.find(({ type }) => type === finding.type);
    return updateCondition(before, finding, pod.metadata.generation, nowMs);
  });
  const kept = old.map((each) => updated.find(({ type }) => type === each.type) ?? each);
  return [...kept, ...updated.filter(({ type }) => !old.some((each) => each.type === type))];
}

function updateCondition(
  before: PodCondition | undefined,
  { type, status, reason, message }: Finding,
  generation: number | undefined,
  nowMs: number,
): PodCondition {
  const isSame =
    before?.status === status &&
    before.reason === reason &&
    before.message === message &&
    before.observedGeneration === generation;
  if (before !== undefined && isSame) return before;
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : formatTime(nowMs);
  return {
    type,
    status,
    ...(generation !== undefined && { observedGeneration: generation }),
    ...(lastTransitionTime !== undefined && { lastTransitionTime }),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  };
}

function findContainersReady({ pod }: PodSituation, { containers, phase }: ConditionFacts): Finding {
  const type = "ContainersReady";
  if (phase === "Succeeded") return { type, status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { type, status: "False", reason: "PodFailed" };
  const sidecars = containersOf(pod).init.flatMap((container, index) =>
    isSidecar(container) ? [containers.init[index]] : [],
  );
  const unready = [...sidecars, ...containers.regular].filter((status) => status?.ready !== true);
  if (unready.length === 0) return { type, status: "True" };
  const names = unready.map((status) => status?.name).join(" ");
  return {
    type,
    status: "False",
    reason: "ContainersNotReady",
    message: `containers with unready status: [${names}]`,
  };
}

/** As ContainersReady, and all readiness gates are open too. */
function findReady({ pod }: PodSituation, containersReady: Finding): Finding {
  const type = "Ready";
  if (containersReady.status !== "True") return { ...containersReady, type };
  const closed = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = pod.status?.conditions?.find((condition) => condition.type === conditionType);
    if (gate === undefined) {
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    }
    const problem = `the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`;
    return gate.status === "True" ? [] : [problem];
  });
  if (closed.length === 0) return { type, status: "True" };
  return { type, status: "False", reason: "ReadinessGatesNotReady", message: closed.join(", ") };
}

function findInitialized({ pod }: PodSituation, { containers, phase }: ConditionFacts): Finding {
  const type = "Initialized";
  if (phase === "Succeeded") return { type, status: "True", reason: "PodCompleted" };
  const hasStarted = containers.regular.some(
    ({ state, lastState }) =>
      state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined,
  );
  const incomplete = containersOf(pod).init.filter(
    (container, index) => !isInitialized(container, containers.init[index]),
  );
  if (hasStarted || incomplete.length === 0) return { type, status: "True" };
  return {
    type,
    status: "False",
    reason: "ContainersNotInitialized",
    message: `containers with incomplete status: [${incomplete.map(({ name }) => name).join(" ")}]`,
  };
}
