import type { NamespaceCondition } from "@keelson/core/kinds/core/v1";

/** The result of one attempt to delete the contents of a namespace. */
export interface RemainingContent {
  /** `configmaps.` or `widgets.example.com`, with how many are left. */
  readonly resources: ReadonlyMap<string, number>;
  readonly finalizers: ReadonlyMap<string, number>;
  /** The messages of failed deletions. */
  readonly failures: readonly string[];
}

interface Finding {
  readonly reason: string;
  readonly message: string;
}

const conditions: readonly {
  readonly type: string;
  readonly whenGood: Finding;
  problem(remaining: RemainingContent): Finding | undefined;
}[] = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    whenGood: { reason: "ResourcesDiscovered", message: "All resources successfully discovered" },
    problem: () => undefined,
  },
  {
    type: "NamespaceDeletionGroupVersionParsingFailure",
    whenGood: { reason: "ParsedGroupVersions", message: "All legacy kube types successfully parsed" },
    problem: () => undefined,
  },
  {
    type: "NamespaceDeletionContentFailure",
    whenGood: {
      reason: "ContentDeleted",
      message: "All content successfully deleted, may be waiting on finalization",
    },
    problem: ({ failures }) =>
      failures.length === 0
        ? undefined
        : {
            reason: "ContentDeletionFailed",
            message: `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(", ")}`,
          },
  },
  {
    type: "NamespaceContentRemaining",
    whenGood: { reason: "ContentRemoved", message: "All content successfully removed" },
    problem: ({ resources }) =>
      resources.size === 0
        ? undefined
        : {
            reason: "SomeResourcesRemain",
            message: `Some resources are remaining: ${listed(resources, "has")}`,
          },
  },
  {
    type: "NamespaceFinalizersRemaining",
    whenGood: { reason: "ContentHasNoFinalizers", message: "All content-preserving finalizers finished" },
    problem: ({ finalizers }) =>
      finalizers.size === 0
        ? undefined
        : {
            reason: "SomeFinalizersRemain",
            message: `Some content in the namespace has finalizers remaining: ${listed(finalizers, "in")}`,
          },
  },
];

function listed(counts: ReadonlyMap<string, number>, verb: string): string {
  return [...counts]
    .map(([name, count]) => `${name} ${verb} ${count} resource instances`)
    .sort()
    .join(", ");
}

/** The conditions after an attempt; those with the same status keep their transition time. */
export function namespaceConditions(
  before: readonly NamespaceCondition[],
  remaining: RemainingContent,
  now: string,
): readonly NamespaceCondition[] {
  const next = conditions.map(({ type, whenGood, problem }): NamespaceCondition => {
    const found = problem(remaining);
    const status = found === undefined ? "False" : "True";
    const old = before.find((condition) => condition.type === type);
    const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? now) : now;
    return { type, status, lastTransitionTime, ...(found ?? whenGood) };
  });
  const foreign = before.filter(({ type }) => !conditions.some((condition) => condition.type === type));
  return [...foreign, ...next];
}
