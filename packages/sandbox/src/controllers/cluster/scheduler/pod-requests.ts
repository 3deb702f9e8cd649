import { parseQuantity } from "@keelson/core";
import type { Container, Pod } from "@keelson/core/kinds/core/v1";

/** Amounts by resource, in billionths. */
export type Amounts = ReadonlyMap<string, bigint>;

const known = new WeakMap<Pod, Amounts>();

/** What a pod needs of a node: the sum of its containers, or what its start needs if that is more. */
export function podRequests(pod: Pod): Amounts {
  const before = known.get(pod);
  if (before !== undefined) return before;
  const { containers = [], initContainers = [], overhead } = pod.spec ?? {};
  const total = new Map<string, bigint>();
  for (const container of containers) add(total, amountsOf(container.resources?.requests));
  const sidecars = new Map<string, bigint>();
  const atStart = new Map<string, bigint>();
  for (const container of initContainers) {
    const requests = requestsOf(container);
    if (container.restartPolicy === "Always") {
      add(sidecars, requests);
      raise(atStart, sidecars);
    } else {
      const together = new Map(sidecars);
      add(together, requests);
      raise(atStart, together);
    }
  }
  add(total, sidecars);
  raise(total, atStart);
  add(total, amountsOf(overhead));
  known.set(pod, total);
  return total;
}

function requestsOf({ resources }: Container): Amounts {
  return amountsOf(resources?.requests);
}

export function amountsOf(list: Readonly<Record<string, string | number>> | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, amount]) => [name, parseQuantity(amount).nanos]));
}

function add(total: Map<string, bigint>, amounts: Amounts): void {
  for (const [name, amount] of amounts) total.set(name, (total.get(name) ?? 0n) + amount);
}

function raise(total: Map<string, bigint>, amounts: Amounts): void {
  for (const [name, amount] of amounts) if (amount > (total.get(name) ?? 0n)) total.set(name, amount);
}
