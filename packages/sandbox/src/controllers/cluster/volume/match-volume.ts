import { compareQuantities, matchesLabels, parseQuantity } from "@keelson/core";
import type { PersistentVolume, PersistentVolumeClaim } from "@keelson/core/kinds/core/v1";

/** The smallest volume that a claim can have; one that names the claim goes first. Undefined if there is none. */
export function matchingVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): PersistentVolume | undefined {
  const wanted = claim.spec?.volumeName;
  const suitable = volumes.filter((volume) => isFor(volume, claim) && suits(volume, claim));
  const named = wanted ? suitable.filter(({ metadata }) => metadata.name === wanted) : suitable;
  const reserved = named.filter(({ spec }) => spec?.claimRef !== undefined);
  return (reserved.length > 0 ? reserved : named).toSorted((a, b) =>
    compareQuantities(capacityOf(a), capacityOf(b)),
  )[0];
}

/** Nobody's, or this claim's. */
function isFor({ spec, status, metadata }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const { claimRef } = spec ?? {};
  if (claimRef === undefined) return status?.phase === "Available" || status?.phase === "Pending";
  const { name, namespace, uid } = claim.metadata;
  return (
    claimRef.name === name && claimRef.namespace === namespace && (!claimRef.uid || claimRef.uid === uid)
  );
}

function suits(volume: PersistentVolume, { spec }: PersistentVolumeClaim): boolean {
  const modes = volume.spec?.accessModes ?? [];
  const { selector } = spec ?? {};
  return (
    (volume.spec?.storageClassName ?? "") === (spec?.storageClassName ?? "") &&
    (volume.spec?.volumeMode ?? "Filesystem") === (spec?.volumeMode ?? "Filesystem") &&
    (spec?.accessModes ?? []).every((mode) => modes.includes(mode)) &&
    (selector === undefined || matchesLabels(selector, volume.metadata.labels)) &&
    compareQuantities(capacityOf(volume), parseQuantity(spec?.resources?.requests?.storage ?? "0")) >= 0
  );
}

function capacityOf({ spec }: PersistentVolume): ReturnType<typeof parseQuantity> {
  return parseQuantity(spec?.capacity?.storage ?? "0");
}
