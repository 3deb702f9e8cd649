/**
 * The parts of the Kubernetes object model that every kind shares (meta/v1), as they are on the wire: timestamps are
 * strings, and nothing is ever changed in place.
 */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: Keyed<OwnerReference, "uid">;
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
  readonly selfLink?: string;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: "Apply" | "Update";
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
  readonly subresource?: string;
}

/** Any object of any kind. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

declare const scopeOf: unique symbol;

/** The metadata of an object of a namespaced kind. The mark only exists for the compiler. */
export interface NamespacedMeta extends ObjectMeta {
  readonly [scopeOf]?: "Namespaced";
}

/** The metadata of an object of a cluster-scoped kind. */
export interface ClusterMeta extends ObjectMeta {
  readonly [scopeOf]?: "Cluster";
}

/** The metadata of an object that the server returns without storing it, such as a TokenReview. */
export interface UnstoredMeta extends ObjectMeta {
  readonly [scopeOf]?: "Unstored";
}

/**
 * An object as the API server returned it: it has a name, a uid, a resource version and a creation timestamp, and a
 * namespace if its kind is known to be namespaced. A kind whose objects are never stored gains nothing.
 */
export type Stored<T extends KubeObject = KubeObject> = T & { readonly metadata: StoredMeta<T["metadata"]> };

interface StoredFields {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
}

interface NamespacedFields extends StoredFields {
  readonly namespace: string;
}

/**
 * What the server adds to the metadata. In generic code the compiler takes the constraint `ObjectMeta` for `Meta`, so that
 * `object.metadata.name` of a `Stored<T>` is a string there too.
 */
type StoredMeta<Meta extends ObjectMeta> = Meta extends { readonly [scopeOf]?: infer Scope }
  ? [Scope] extends ["Unstored"]
    ? unknown
    : [Scope] extends ["Namespaced"]
      ? NamespacedFields
      : StoredFields
  : StoredFields;

/** An object of a kind without a described type: everything beside the metadata is unknown. */
export interface GenericObject extends KubeObject {
  readonly [field: string]: unknown;
}

export interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface KubeList<T extends KubeObject> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ListMeta;
  readonly items: readonly T[];
}

export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[];
}

declare const listMapKey: unique symbol;

/** An element of a list whose elements are identified by the given keys; it only exists for the compiler. */
type KeyedElement<Element, Key> = Element & { readonly [listMapKey]?: Key };

/** A list that server-side apply merges by key (`x-kubernetes-list-type: map`), such as the containers of a pod. */
export type Keyed<Element, Key extends keyof Element> = readonly KeyedElement<Element, Key>[];

/** The keys of an element of a Keyed list; never for any other element. */
export type KeyOf<Element> = Element extends { readonly [listMapKey]?: infer Key }
  ? Exclude<Key, undefined> & keyof Element
  : never;
