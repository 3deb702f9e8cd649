import { isRecord } from "@keelson/core";
import type { StoredKind, StoredObjects } from "../resource/stored-objects.ts";
import type { StoredObject } from "../store/store.ts";
import type { AdmissionRequest, MutatingAdmission } from "./admission.ts";

interface Defaulted {
  readonly name: string;
  readonly target: StoredKind;
  readonly classes: StoredKind;
  /** The field of the spec that names the class. */
  readonly field: string;
  /** Names a class too, in objects that are older than the field. */
  readonly oldAnnotation: string;
  /** Marks a class as the default, if it is `true`. */
  readonly markers: readonly string[];
}

/** Gives Ingresses that name no class the default one. */
export function defaultIngressClass(read: StoredObjects): MutatingAdmission {
  return defaulting(read, {
    name: "DefaultIngressClass",
    target: { group: "networking.k8s.io", plural: "ingresses" },
    classes: { group: "networking.k8s.io", plural: "ingressclasses" },
    field: "ingressClassName",
    oldAnnotation: "kubernetes.io/ingress.class",
    markers: ["ingressclass.kubernetes.io/is-default-class"],
  });
}

/** Gives PersistentVolumeClaims that name no class the default one; the empty name stands for none on purpose. */
export function defaultStorageClass(read: StoredObjects): MutatingAdmission {
  return defaulting(read, {
    name: "DefaultStorageClass",
    target: { group: "", plural: "persistentvolumeclaims" },
    classes: { group: "storage.k8s.io", plural: "storageclasses" },
    field: "storageClassName",
    oldAnnotation: "volume.beta.kubernetes.io/storage-class",
    markers: [
      "storageclass.kubernetes.io/is-default-class",
      "storageclass.beta.kubernetes.io/is-default-class",
    ],
  });
}

function defaulting(read: StoredObjects, defaulted: Defaulted): MutatingAdmission {
  const { name, target, classes, field, oldAnnotation, markers } = defaulted;
  return {
    name,
    mutate(request, object) {
      if (!isCreation(request, target) || object === undefined || !isRecord(object.spec)) return;
      const hasClass =
        object.spec[field] !== undefined || oldAnnotation in (object.metadata.annotations ?? {});
      if (hasClass) return;
      const chosen = defaultOf(read.list(classes), markers)?.metadata.name;
      if (chosen !== undefined) object.spec = { ...object.spec, [field]: chosen };
    },
  };
}

function isCreation({ operation, resource, subresource }: AdmissionRequest, target: StoredKind): boolean {
  return (
    operation === "CREATE" &&
    subresource === undefined &&
    resource.plural === target.plural &&
    resource.group === target.group
  );
}

/** Of several the newest; of those of one moment the first by name, which is the order of the store. */
function defaultOf(classes: readonly StoredObject[], markers: readonly string[]): StoredObject | undefined {
  let newest: StoredObject | undefined;
  for (const one of classes) {
    const { annotations = {} } = one.metadata;
    if (!markers.some((marker) => annotations[marker] === "true")) continue;
    if (newest === undefined || createdAt(one) > createdAt(newest)) newest = one;
  }
  return newest;
}

function createdAt({ metadata }: StoredObject): string {
  return metadata.creationTimestamp;
}
