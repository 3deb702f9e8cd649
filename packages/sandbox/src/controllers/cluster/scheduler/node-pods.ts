import type { Pod } from "@keelson/core/kinds/core/v1";
import { loopKey } from "../../key-loop.ts";
import { type Amounts, podRequests } from "./pod-requests.ts";

/** The pods on a node, with sums that cost nothing to read. */
export interface NodePods {
  readonly pods: readonly Pod[];
  readonly count: number;
  /** What they ask for together. */
  readonly requested: Amounts;
  /** Those that must not be near certain others. */
  readonly apart: ReadonlySet<Pod>;
}

export function createNodePods(): NodePods & { put(pod: Pod): void; remove(pod: Pod): void } {
  const byKey = new Map<string, Pod>();
  const requested = new Map<string, bigint>();
  const apart = new Set<Pod>();
  let list: readonly Pod[] | undefined;

  function count(pod: Pod, sign: 1n | -1n): void {
    for (const [name, amount] of podRequests(pod)) {
      requested.set(name, (requested.get(name) ?? 0n) + sign * amount);
    }
  }

  function remove(pod: Pod): void {
    const before = byKey.get(loopKey(pod));
    if (before === undefined) return;
    byKey.delete(loopKey(pod));
    apart.delete(before);
    count(before, -1n);
    list = undefined;
  }

  return {
    get pods() {
      list ??= [...byKey.values()];
      return list;
    },
    get count() {
      return byKey.size;
    },
    requested,
    apart,
    put(pod) {
      remove(pod);
      byKey.set(loopKey(pod), pod);
      count(pod, 1n);
      if (pod.spec?.affinity?.podAntiAffinity !== undefined) apart.add(pod);
      list = undefined;
    },
    remove,
  };
}
