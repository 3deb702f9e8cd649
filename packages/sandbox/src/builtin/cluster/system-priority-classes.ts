import type { PriorityClass } from "@keelson/core/kinds/scheduling/v1";

/** The priority classes that every cluster has, for pods that it cannot do without. */
export const systemPriorityClasses: readonly PriorityClass[] = [
  priorityClass("system-node-critical", 2_000_001_000, "For pods that their node cannot do without."),
  priorityClass(
    "system-cluster-critical",
    2_000_000_000,
    "For pods that the cluster cannot do without; they may move to another node.",
  ),
];

function priorityClass(name: string, value: number, description: string): PriorityClass {
  return {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    description,
    preemptionPolicy: "PreemptLowerPriority",
    value,
  };
}
