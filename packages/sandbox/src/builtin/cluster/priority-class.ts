import type { PriorityClass } from "@keelson/core/kinds/scheduling/v1";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, forbiddenField } from "../../status/field-problem.ts";
import { builtinStrategy } from "../builtin-strategy.ts";
import { immutableField } from "../value-problems.ts";

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

const highestUserPriority = 1_000_000_000;
const systemClasses: ReadonlyMap<string | undefined, number> = new Map(
  systemPriorityClasses.map(({ metadata, value }) => [metadata.name, value ?? 0]),
);

export const priorityClassStrategy: Strategy = builtinStrategy<PriorityClass>({
  initialStatus: "none",
  countsGenerations: true,
  // The server sets the first generation, and counts no other.
  isNewGeneration: () => false,
  setDefaults(priorityClass) {
    priorityClass.preemptionPolicy ??= "PreemptLowerPriority";
  },
  validate({ metadata: { name }, value = 0 }) {
    if (name?.startsWith("system-")) return systemNameProblems(name, value);
    const detail = `maximum allowed value of a user defined priority is ${highestUserPriority}`;
    return value > highestUserPriority ? [forbiddenField("value", detail)] : [];
  },
  validateUpdate: (priorityClass, old) => [
    ...(priorityClass.value === old.value
      ? []
      : [forbiddenField("value", "may not be changed in an update.")]),
    ...immutableField(priorityClass.preemptionPolicy, old.preemptionPolicy, "preemptionPolicy"),
  ],
});

function systemNameProblems(name: string, value: number): readonly FieldProblem[] {
  const known = systemClasses.get(name);
  if (known === value) return [];
  const why =
    known === undefined
      ? `${name} is not a known system priority class`
      : `value of ${name} PriorityClass must be ${known}`;
  const rule = "priority class names with 'system-' prefix are reserved for system use only. error";
  return [forbiddenField("metadata.name", `${rule}: ${why}`)];
}
