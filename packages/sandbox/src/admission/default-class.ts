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
  /** The annotation that named the class before the field existed. */
  readonly oldAnnotation: string;
  /** The annotations that mark a class as the default with `true`. */
  readonly markers: readonly string[];
}

/** Sets the default class of Ingresses without a class. */
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

/** Sets the default class of PersistentVolumeClaims without a class; an empty class name means none on purpose. */
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

/** The newest default class; of several with the same creation timestamp the first by name. */
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
