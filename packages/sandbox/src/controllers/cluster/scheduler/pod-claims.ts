import { PersistentVolumeClaim, type Pod } from "@keelson/core/kinds/core/v1";
import { StorageClass } from "@keelson/core/kinds/storage/v1";
import type { ObjectApi } from "../../../server/write/object-api.ts";

/** What the claims of a pod mean for where it goes. */
export type ClaimsState =
  | { readonly state: "bound" }
  /** They are bound when a node is chosen. */
  | { readonly state: "waiting"; readonly claims: readonly PersistentVolumeClaim[] }
  | { readonly state: "wrong"; readonly reason: string };

export function claimsOf(objects: ObjectApi, { metadata, spec }: Pod): ClaimsState {
  const { namespace = "" } = metadata;
  const claims: PersistentVolumeClaim[] = [];
  for (const { name: volume, persistentVolumeClaim, ephemeral } of spec?.volumes ?? []) {
    const name = persistentVolumeClaim?.claimName ?? (ephemeral && `${metadata.name}-${volume}`);
    if (name === undefined) continue;
    const claim = objects.get(PersistentVolumeClaim, { namespace, name });
    if (claim === undefined) return wrong(`persistentvolumeclaim ${JSON.stringify(name)} not found`);
    if (claim.metadata.deletionTimestamp !== undefined) {
      return wrong(`persistentvolumeclaim ${JSON.stringify(name)} is being deleted`);
    }
    if (claim.metadata.annotations?.["pv.kubernetes.io/bind-completed"] !== undefined) continue;
    if (!waitsForConsumer(objects, claim)) return wrong("pod has unbound immediate PersistentVolumeClaims");
    claims.push(claim);
  }
  return claims.length === 0 ? { state: "bound" } : { state: "waiting", claims };
}

function wrong(reason: string): ClaimsState {
  return { state: "wrong", reason };
}

/** Whether a claim is bound only when a pod needs it. */
export function waitsForConsumer(objects: ObjectApi, { spec }: PersistentVolumeClaim): boolean {
  const name = spec?.storageClassName;
  if (!name) return false;
  return objects.get(StorageClass, { name })?.volumeBindingMode === "WaitForFirstConsumer";
}
