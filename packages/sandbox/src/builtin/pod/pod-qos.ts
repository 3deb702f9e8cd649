import type { Container, PodSpec } from "@keelson/core/kinds/core/v1";
import type { Given } from "../given.ts";
import { readAmount } from "./resource-amounts.ts";

/**
 * How a pod is treated when resources are short: `Guaranteed` if every container has limits of CPU and memory and
 * requests just these, `BestEffort` if nothing is asked for, `Burstable` otherwise.
 */
export function qosClassOf(spec: Given<PodSpec>): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers: readonly Pick<Given<Container>, "resources">[] =
    spec.resources === undefined
      ? [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
      : [{ resources: spec.resources }];
  if (containers.every(asksForNothing)) return "BestEffort";
  return containers.every(isGuaranteed) ? "Guaranteed" : "Burstable";
}

function asksForNothing({ resources = {} }: Pick<Given<Container>, "resources">): boolean {
  const { limits = {}, requests = {} } = resources;
  return ["cpu", "memory"].every((name) => isNothing(limits[name]) && isNothing(requests[name]));
}

function isGuaranteed({ resources = {} }: Pick<Given<Container>, "resources">): boolean {
  const { limits = {}, requests = {} } = resources;
  return ["cpu", "memory"].every((name) => {
    const limit = limits[name];
    if (limit === undefined || isNothing(limit)) return false;
    const request = requests[name];
    return request === undefined || readAmount(request)?.nanos === readAmount(limit)?.nanos;
  });
}

function isNothing(amount: string | undefined): boolean {
  return amount === undefined || readAmount(amount)?.nanos === 0n;
}
