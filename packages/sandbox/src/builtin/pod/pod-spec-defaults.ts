import type { Draft } from "@keelson/core";
import type { PodSpec, PodTemplateSpec } from "@keelson/core/kinds/core/v1";
import type { Given } from "../given.ts";
import { isEmpty, setContainerDefaults } from "./container-defaults.ts";
import { normalizeAmounts } from "./resource-amounts.ts";
import { setVolumeDefaults } from "./volume-defaults.ts";

type GivenSpec = Draft<Given<PodSpec>>;

/** What every spec of a pod gets, in pods and in templates. */
export function setPodSpecDefaults(spec: GivenSpec): void {
  if (isEmpty(spec.dnsPolicy)) spec.dnsPolicy = "ClusterFirst";
  if (isEmpty(spec.restartPolicy)) spec.restartPolicy = "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  if (isEmpty(spec.schedulerName)) spec.schedulerName = "default-scheduler";
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
  for (const container of spec.initContainers ?? []) setContainerDefaults(container);
  for (const container of spec.containers ?? []) setContainerDefaults(container);
  for (const container of spec.ephemeralContainers ?? []) setContainerDefaults(container);
  normalizeAmounts(spec.overhead);
  if (spec.resources !== undefined) {
    normalizeAmounts(spec.resources.limits);
    normalizeAmounts(spec.resources.requests);
  }
  mirrorServiceAccount(spec);
}

/** The two names of the one field; the newer one wins. */
function mirrorServiceAccount(spec: GivenSpec): void {
  if (isEmpty(spec.serviceAccountName) && spec.serviceAccount !== undefined) {
    spec.serviceAccountName = spec.serviceAccount;
  }
  if (isEmpty(spec.serviceAccountName)) delete spec.serviceAccount;
  else if (spec.serviceAccount !== spec.serviceAccountName && spec.serviceAccountName !== undefined) {
    spec.serviceAccount = spec.serviceAccountName;
  }
}

export function setPodTemplateDefaults(template: Draft<Given<PodTemplateSpec>>): void {
  template.metadata ??= {};
  template.spec ??= {};
  setPodSpecDefaults(template.spec);
}
