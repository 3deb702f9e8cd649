import type { MutatingAdmission } from "./admission.ts";

/** By collection. */
const finalizers: Readonly<Record<string, string>> = {
  persistentvolumes: "kubernetes.io/pv-protection",
  persistentvolumeclaims: "kubernetes.io/pvc-protection",
  "volumeattributesclasses.storage.k8s.io": "kubernetes.io/vac-protection",
};

/** New volumes and claims stay as long as somebody uses them, by a finalizer that controllers take away. */
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
