import { deepEqual, type KubeObject, keyOf, type OwnerReference, ownerReferenceTo } from "@keelson/core";
import { StatefulSet } from "@keelson/core/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@keelson/core/kinds/core/v1";
import type { ControllerContext } from "../../controller.ts";
import { controllerManager } from "../../manager-name.ts";
import { claimsOf, isInRange, ordinalOf } from "./stateful-pod.ts";

/** Makes the claims of a pod go with the set, or with the pod when the set shrinks, as the retention policy says. */
export async function syncClaimOwners(
  context: Pick<ControllerContext, "objects" | "recordEvent">,
  set: StatefulSet,
  pod: Pod,
): Promise<void> {
  const { objects } = context;
  const ordinal = ordinalOf(set, pod);
  if (ordinal === undefined) return;
  for (const wanted of claimsOf(set, ordinal)) {
    const claim = objects.get(PersistentVolumeClaim, keyOf(wanted));
    if (claim === undefined || hasStaleOwner(claim, set) || hasStaleOwner(claim, pod)) continue;
    const ownerReferences = wantedOwners(set, pod, ordinal, claim);
    if (deepEqual(ownerReferences, claim.metadata.ownerReferences ?? [])) continue;
    const updated = { ...claim, metadata: { ...claim.metadata, ownerReferences } };
    await objects.update(PersistentVolumeClaim, updated, { manager: controllerManager });
  }
}

function wantedOwners(
  set: StatefulSet,
  pod: Pod,
  ordinal: number,
  { metadata }: PersistentVolumeClaim,
): readonly OwnerReference[] {
  const { whenDeleted, whenScaled } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const others = (metadata.ownerReferences ?? []).filter(
    ({ uid }) => uid !== set.metadata.uid && uid !== pod.metadata.uid,
  );
  // Another controller decides when the claim goes.
  if (others.some(({ controller }) => controller === true)) return others;
  const isCondemned = !isInRange(set, ordinal);
  const options = { controller: true, blockOwnerDeletion: true };
  if (isCondemned && whenScaled === "Delete") {
    return [...others, ownerReferenceTo({ object: pod, resource: Pod }, options)];
  }
  return whenDeleted === "Delete"
    ? [...others, ownerReferenceTo({ object: set, resource: StatefulSet }, options)]
    : others;
}

/** Whether a claim belongs to an earlier object of the same name, and so is about to go. */
export function hasStaleOwner({ metadata }: PersistentVolumeClaim, owner: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ kind, name, uid }) =>
      kind === owner.kind && name === owner.metadata.name && uid !== owner.metadata.uid,
  );
}
