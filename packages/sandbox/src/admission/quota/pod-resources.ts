import type { Container, PodSpec } from "@keelson/core/kinds/core/v1";
import { type Amounts, amountsOf, largest, sum } from "./amounts.ts";

/** The containers and resources of a pod, as far as sums need them. */
export type PodResources = Pick<PodSpec, "containers" | "initContainers" | "resources" | "overhead">;

type Part = "requests" | "limits";

/**
 * What the containers of a pod request together: those that run side by side are added; an init container counts as far
 * as it needs more. The resources of the pod as a whole come before those of its containers.
 */
export function podAmounts(spec: PodResources, part: Part): Amounts {
  const total = containerAmounts(spec, part);
  const ofPod = [...amountsOf(spec.resources?.[part])].filter(([name]) => isPodLevel(name));
  return new Map([...total, ...ofPod]);
}

/** The same with the overhead of the runtime class; only limits that exist grow by it. */
export function podAmountsWithOverhead(spec: PodResources, part: Part): Amounts {
  const amounts = podAmounts(spec, part);
  const overhead = amountsOf(spec.overhead);
  if (part === "requests") return sum(amounts, overhead);
  return sum(amounts, new Map([...overhead].filter(([name]) => amounts.has(name))));
}

/** Whether the resources of a pod may contain this one. */
export function isPodLevel(name: string): boolean {
  return name === "cpu" || name === "memory" || name.startsWith("hugepages-");
}

function containerAmounts({ containers, initContainers = [] }: PodResources, part: Part): Amounts {
  const of = ({ resources }: Container): Amounts => amountsOf(resources?.[part]);
  let total = containers.map(of).reduce(sum, new Map());
  let sidecars: Amounts = new Map();
  let initial: Amounts = new Map();
  for (const container of initContainers) {
    if (container.restartPolicy === "Always") {
      total = sum(total, of(container));
      sidecars = sum(sidecars, of(container));
      initial = largest(initial, sidecars);
    } else {
      initial = largest(initial, sum(of(container), sidecars));
    }
  }
  return largest(total, initial);
}
