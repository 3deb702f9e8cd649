import { type GenericObject, isRecord } from "@keelson/core";
import type { PersistentVolume, Pod } from "@keelson/core/kinds/core/v1";
import { decoded } from "../resource/mutable-object.ts";
import type { StoredObjects } from "../resource/stored-objects.ts";

/** Finds out which objects the pods of a node need. */
export interface NodeObjects {
  /** Whether a pod that is bound to the node is this object or refers to it. */
  isRelated(nodeName: string, kind: RelatedKind, object: RelatedObject): boolean;
}

export type RelatedKind =
  | "pods"
  | "secrets"
  | "configmaps"
  | "serviceaccounts"
  | "persistentvolumeclaims"
  | "persistentvolumes"
  | "resourceclaims"
  | "resourceslices"
  | "volumeattachments";

interface RelatedObject {
  readonly namespace: string;
  readonly name: string;
}

const mirrorAnnotation = "kubernetes.io/config.mirror";

export function nodeObjects(read: StoredObjects): NodeObjects {
  const podsOf = (nodeName: string, namespace?: string): readonly Pod[] =>
    read
      .list({ group: "", plural: "pods" }, namespace)
      .map((pod) => decoded<Pod>(pod))
      .filter(({ spec }) => spec?.nodeName === nodeName);

  /** A mirror pod is made by its node, and must not give it access to anything else. */
  const refersTo = (nodeName: string, namespace: string, refers: (pod: Pod) => boolean): boolean =>
    podsOf(nodeName, namespace).some(
      (pod) => pod.metadata.annotations?.[mirrorAnnotation] === undefined && refers(pod),
    );

  const usesClaim = (nodeName: string, { namespace, name }: RelatedObject): boolean =>
    refersTo(nodeName, namespace, (pod) => claimNames(pod).includes(name));

  const usesVolume = (nodeName: string, { claimRef }: NonNullable<PersistentVolume["spec"]>): boolean => {
    const { namespace = "", name = "" } = claimRef ?? {};
    return name !== "" && usesClaim(nodeName, { namespace, name });
  };

  function usesSecretOfVolume(nodeName: string, { namespace, name }: RelatedObject): boolean {
    return read.list({ group: "", plural: "persistentvolumes" }).some((volume) => {
      const { spec } = decoded<PersistentVolume>(volume);
      if (spec === undefined || !usesVolume(nodeName, spec)) return false;
      const home = spec.claimRef?.namespace ?? "";
      return references(spec, volumeSecretKeys).some(
        (one) => one.name === name && (one.namespace ?? home) === namespace,
      );
    });
  }

  const isOfNode = (object: GenericObject | undefined, nodeName: string): boolean =>
    isRecord(object?.spec) && object.spec.nodeName === nodeName;

  return {
    isRelated(nodeName, kind, object) {
      const { namespace, name } = object;
      const isNamed = (one: Reference): boolean => one.name === name;
      switch (kind) {
        case "pods":
          return isOfNode(read.get({ group: "", plural: "pods" }, name, namespace), nodeName);
        case "secrets":
          return (
            refersTo(nodeName, namespace, ({ spec }) => references(spec, podSecretKeys).some(isNamed)) ||
            usesSecretOfVolume(nodeName, object)
          );
        case "configmaps":
          return refersTo(nodeName, namespace, ({ spec }) => references(spec, configMapKeys).some(isNamed));
        case "serviceaccounts":
          return refersTo(nodeName, namespace, ({ spec }) => spec?.serviceAccountName === name);
        case "persistentvolumeclaims":
          return usesClaim(nodeName, object);
        case "persistentvolumes": {
          const volume = read.get({ group: "", plural: kind }, name);
          const spec = volume && decoded<PersistentVolume>(volume).spec;
          return spec !== undefined && usesVolume(nodeName, spec);
        }
        case "resourceclaims":
          return refersTo(nodeName, namespace, (pod) => resourceClaimNames(pod).includes(name));
        case "resourceslices":
          return isOfNode(read.get({ group: "resource.k8s.io", plural: kind }, name), nodeName);
        case "volumeattachments":
          return isOfNode(read.get({ group: "storage.k8s.io", plural: kind }, name), nodeName);
      }
    },
  };
}

function claimNames({ metadata, spec }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`];
  });
}

function resourceClaimNames({ spec, status }: Pod): readonly string[] {
  const given = (spec?.resourceClaims ?? []).flatMap(({ resourceClaimName }) => resourceClaimName ?? []);
  const made = (status?.resourceClaimStatuses ?? []).flatMap(
    ({ resourceClaimName }) => resourceClaimName ?? [],
  );
  return [...given, ...made];
}

interface Reference {
  readonly name: string;
  readonly namespace?: string;
}

const podSecretKeys: ReadonlySet<string> = new Set([
  ...["secret", "azureFile", "secretRef", "secretKeyRef", "imagePullSecrets", "nodePublishSecretRef"],
]);
const configMapKeys: ReadonlySet<string> = new Set(["configMap", "configMapRef", "configMapKeyRef"]);
/** Controllers, not kubelets, use the other secrets of a volume. */
const volumeSecretKeys: ReadonlySet<string> = new Set([
  ...["azureFile", "secretRef", "nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef"],
]);

/** The references below a value whose field has one of these names. A kind's schema bounds how deep they are. */
function references(value: unknown, keys: ReadonlySet<string>, key = ""): readonly Reference[] {
  if (Array.isArray(value)) return value.flatMap((item) => references(item, keys, key));
  if (!isRecord(value)) return [];
  const own = keys.has(key) ? referenceOf(value) : undefined;
  const below = Object.entries(value).flatMap(([field, part]) => references(part, keys, field));
  return own === undefined ? below : [own, ...below];
}

function referenceOf(fields: Readonly<Record<string, unknown>>): Reference | undefined {
  const name = fields.secretName ?? fields.name;
  const namespace = fields.secretNamespace ?? fields.namespace;
  if (typeof name !== "string") return undefined;
  return { name, ...(typeof namespace === "string" && { namespace }) };
}
