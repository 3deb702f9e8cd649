import type { Node, NodeCondition, Taint } from "@keelson/core/kinds/core/v1";

const watchedConditions = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** The conditions of a node of which nothing was heard for too long. */
export function silentConditions({ metadata, status }: Node, now: string): readonly NodeCondition[] {
  const conditions = [...(status?.conditions ?? [])];
  for (const type of watchedConditions) {
    const index = conditions.findIndex((condition) => condition.type === type);
    const before = conditions[index];
    if (before === undefined) {
      conditions.push({
        type,
        status: "Unknown",
        lastHeartbeatTime: metadata.creationTimestamp ?? now,
        lastTransitionTime: now,
        reason: "NodeStatusNeverUpdated",
        message: "Kubelet never posted node status.",
      });
    } else if (before.status !== "Unknown") {
      conditions[index] = {
        ...before,
        status: "Unknown",
        lastTransitionTime: now,
        reason: "NodeStatusUnknown",
        message: "Kubelet stopped posting node status.",
      };
    }
  }
  return conditions;
}

const notReady = "node.kubernetes.io/not-ready";
const unreachable = "node.kubernetes.io/unreachable";

const noScheduleTaints: readonly { readonly type: string; readonly status: string; readonly key: string }[] =
  [
    { type: "Ready", status: "False", key: notReady },
    { type: "Ready", status: "Unknown", key: unreachable },
    { type: "MemoryPressure", status: "True", key: "node.kubernetes.io/memory-pressure" },
    { type: "DiskPressure", status: "True", key: "node.kubernetes.io/disk-pressure" },
    { type: "NetworkUnavailable", status: "True", key: "node.kubernetes.io/network-unavailable" },
    { type: "PIDPressure", status: "True", key: "node.kubernetes.io/pid-pressure" },
  ];

const unschedulable = "node.kubernetes.io/unschedulable";

/** The taints that the conditions of a node call for, beside those that others gave it. */
export function taintsFor({ spec, status }: Node, now: string): readonly Taint[] {
  const has = (type: string, wanted: string): boolean =>
    status?.conditions?.find((condition) => condition.type === type)?.status === wanted;
  const before = spec?.taints ?? [];
  const keys = noScheduleTaints.filter((one) => has(one.type, one.status)).map(({ key }) => key);
  if (spec?.unschedulable === true) keys.push(unschedulable);
  const isOurs = ({ key, effect }: Taint): boolean =>
    (effect === "NoSchedule" && (key === unschedulable || noScheduleTaints.some((one) => one.key === key))) ||
    (effect === "NoExecute" && (key === notReady || key === unreachable));
  const wanted: Taint[] = keys.map((key) => ({ key, effect: "NoSchedule", timeAdded: now }));
  const evicting = has("Ready", "False") ? notReady : has("Ready", "Unknown") ? unreachable : undefined;
  if (evicting !== undefined) wanted.push({ key: evicting, effect: "NoExecute", timeAdded: now });
  const kept = before.filter(
    (taint) => !isOurs(taint) || wanted.some((one) => one.key === taint.key && one.effect === taint.effect),
  );
  const added = wanted.filter(
    (one) => !before.some((taint) => taint.key === one.key && taint.effect === one.effect),
  );
  return added.length === 0 && kept.length === before.length ? before : [...kept, ...added];
}
