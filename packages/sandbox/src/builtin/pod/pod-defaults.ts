import type { Draft } from "@keelson/core";
import type { Container, Pod, PodSpec } from "@keelson/core/kinds/core/v1";
import type { Given, GivenDraft } from "../given.ts";
import { setPodSpecDefaults } from "./pod-spec-defaults.ts";
import { fillAmounts } from "./resource-amounts.ts";

/** Beside what every spec gets, pods (not templates) request what they are limited to, and more. */
export function setPodDefaults(pod: GivenDraft<Pod>): void {
  pod.spec ??= {};
  const { spec } = pod;
  setPodSpecDefaults(spec);
  for (const container of spec.containers ?? []) requestLimits(container);
  for (const container of spec.initContainers ?? []) requestLimits(container);
  requestPodLimits(spec);
  if (spec.terminationGracePeriodSeconds !== undefined && spec.terminationGracePeriodSeconds < 0) {
    spec.terminationGracePeriodSeconds = 1;
  }
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork === true) {
    for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
      useHostPorts(container);
    }
  }
}

function requestLimits({ resources }: Draft<Given<Container>>): void {
  if (resources?.limits === undefined) return;
  resources.requests ??= {};
  fillAmounts(resources.limits, resources.requests);
}

/** Limits of the whole pod are requested too, where no container requests anything of the resource. */
function requestPodLimits({ resources, containers = [] }: Draft<Given<PodSpec>>): void {
  if (resources?.limits === undefined || Object.keys(resources.limits).length === 0) return;
  const requests = resources.requests ?? {};
  const requestedBelow = new Set(containers.flatMap((one) => Object.keys(one.resources?.requests ?? {})));
  for (const [name, amount] of Object.entries(resources.limits)) {
    if (!requestedBelow.has(name)) requests[name] ??= amount;
  }
  if (Object.keys(requests).length > 0) resources.requests = requests;
}

function useHostPorts({ ports = [] }: Draft<Given<Container>>): void {
  for (const port of ports) {
    if (port.containerPort !== undefined) port.hostPort ||= port.containerPort;
  }
}
