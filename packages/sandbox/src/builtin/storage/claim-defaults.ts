import type { Draft } from "@keelson/core";
import type { PersistentVolumeClaimSpec } from "@keelson/core/kinds/core/v1";
import type { Given } from "../given.ts";
import { normalizeAmounts } from "../pod/resource-amounts.ts";

/** Of claims, and of the templates of claims in StatefulSets and ephemeral volumes. */
export function setClaimSpecDefaults(spec: Draft<Given<PersistentVolumeClaimSpec>>): void {
  spec.volumeMode ??= "Filesystem";
  spec.resources ??= {};
  normalizeAmounts(spec.resources.requests);
  normalizeAmounts(spec.resources.limits);
  if (spec.dataSource !== undefined) spec.dataSourceRef ??= { ...spec.dataSource };
  else if (spec.dataSourceRef !== undefined && spec.dataSourceRef.namespace === undefined) {
    spec.dataSource = { ...spec.dataSourceRef };
  }
}
