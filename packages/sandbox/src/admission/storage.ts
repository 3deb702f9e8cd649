import { compareQuantities, type GenericObject, parseQuantity } from "@keelson/core";
import type { PersistentVolumeClaim } from "@keelson/core/kinds/core/v1";
import { decoded } from "../resource/mutable-object.ts";
import type { StoredObjects } from "../resource/stored-objects.ts";
import { type MutatingAdmission, refused, type ValidatingAdmission } from "./admission.ts";

/** Claims can grow only if they are bound and their storage class allows expansion. */
export function claimResize(read: StoredObjects): ValidatingAdmission {
  return {
    name: "PersistentVolumeClaimResize",
    validate(request, object) {
      const { operation, resource, subresource, oldObject } = request;
      if (resource.collection !== "persistentvolumeclaims" || operation !== "UPDATE") return;
      if (subresource !== undefined || object === undefined || oldObject === undefined) return;
      const [claim, old] = [typed(object), typed(oldObject)];
      if (!isGrown(claim, old)) return;
      if (old.status?.phase !== "Bound") {
        throw refused(request, object, "Only bound persistent volume claims can be expanded");
      }
      const name = classOf(claim);
      const storageClass = read.get({ group: "storage.k8s.io", plural: "storageclasses" }, name);
      if (name !== "" && name === classOf(old) && storageClass?.allowVolumeExpansion === true) return;
      const why =
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
      throw refused(request, object, why);
    },
  };
}

function isGrown(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const [requested, before] = [claim, old].map(({ spec }) =>
    String(spec?.resources?.requests?.storage ?? "0"),
  );
  return compareQuantities(parseQuantity(requested ?? "0"), parseQuantity(before ?? "0")) > 0;
}

function classOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? "";
}

/** The schema of the kind has decoded both. */
function typed(object: GenericObject): PersistentVolumeClaim {
  return decoded<PersistentVolumeClaim>(object);
}

/** By collection. */
const finalizers: Readonly<Record<string, string>> = {
  persistentvolumes: "kubernetes.io/pv-protection",
  persistentvolumeclaims: "kubernetes.io/pvc-protection",
  "volumeattributesclasses.storage.k8s.io": "kubernetes.io/vac-protection",
};

/** Adds the finalizer that protects volumes and claims while a pod uses them; controllers remove it. */
export const storageProtection: MutatingAdmission = {
  name: "StorageObjectInUseProtection",
  mutate({ operation, resource, subresource }, object) {
    if (operation !== "CREATE" || subresource !== undefined || object === undefined) return;
    const finalizer = finalizers[resource.collection];
    if (finalizer === undefined) return;
    const present = object.metadata.finalizers ?? [];
    if (!present.includes(finalizer)) object.metadata.finalizers = [...present, finalizer];
  },
};
