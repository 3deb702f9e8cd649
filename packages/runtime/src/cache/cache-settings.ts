import type { KubeObject, LabelSelector, Resource, Stored } from "@keelson/core";

/** Stands for all namespaces that have no entry of their own. */
export const allNamespaces = "*";

/** Which objects are kept of one namespace, and how. What is absent is as the settings around it say [IN17]. */
export interface NamespaceSettings<T extends KubeObject = KubeObject> {
  readonly labelSelector?: string | LabelSelector;
  readonly fieldSelector?: string;
  /**
   * Cuts objects down before they are kept, such as to the part that is used. It may change what it is given. Name,
   * namespace, uid and version must stay; of labels, those that reads select by.
   */
  transform?(object: Stored<T>): Stored<T>;
  /** Objects are kept with their managedFields. Default false [IN19]. */
  readonly keepManagedFields?: boolean;
}

/** What is kept of every kind that does not say it of itself. */
export interface CacheDefaults {
  /**
   * The namespaces that namespaced kinds are watched in, each by a watch of its own; `*` is all others. Default: one
   * watch for all.
   */
  readonly namespaces?: Readonly<Record<string, AnyKindSettings>>;
  readonly labelSelector?: string | LabelSelector;
  readonly fieldSelector?: string;
  readonly transform?: AnyTransform;
  readonly keepManagedFields?: boolean;
  /**
   * How often subscribers that do not say it themselves get everything again, from the store [IN13]; give or take a
   * tenth. Default 10 h, 0 is never.
   */
  readonly resyncMs?: number;
}

/** A transform for objects of whatever kind. */
type AnyTransform = <T extends KubeObject>(object: Stored<T>) => Stored<T>;

/** As NamespaceSettings, for all kinds. */
interface AnyKindSettings extends Omit<NamespaceSettings, "transform"> {
  readonly transform?: AnyTransform;
}

/** What is kept of one kind. */
export interface KindSettings<T extends KubeObject> extends NamespaceSettings<T> {
  /** The namespaces it is watched in; `*` is all others. Default: those of the defaults. Not for cluster-scoped kinds. */
  readonly namespaces?: Readonly<Record<string, NamespaceSettings<T>>>;
  /**
   * Objects are kept as bytes until somebody reads them. Default true: it is never dearer than parsing at once, and what
   * nobody reads takes half the memory. With a transform or an index, everything is parsed as it comes.
   */
  readonly parseOnRead?: boolean;
}

/** One kind with its settings; see `cacheKind`. */
export interface CachedKind<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  readonly settings: KindSettings<T>;
}

/** The settings of a kind. Its objects' type is known to the transform. */
export function cacheKind<T extends KubeObject>(
  resource: Resource<T>,
  settings: KindSettings<T>,
): CachedKind<T> {
  return { resource, settings };
}

/** An index of a kind; see `cacheIndex`. */
export interface CachedIndex<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  readonly name: string;
  /** The values that an object is found by. */
  valuesOf(object: Stored<T>): readonly string[];
}

/** An index: reads may select by it, `list(resource, { fieldSelector: "name=value" })`. */
export function cacheIndex<T extends KubeObject>(
  resource: Resource<T>,
  name: string,
  valuesOf: (object: Stored<T>) => readonly string[],
): CachedIndex<T> {
  return { resource, name, valuesOf };
}

export interface CacheSettings {
  readonly defaults?: CacheDefaults;
  /** Settings of single kinds, such as `cacheKind(Secret, { labelSelector: "app=web" })`. */
  readonly kinds?: readonly CachedKind[];
  /** A read of a kind that nobody watches is an error, instead of the beginning of a watch [IN16]. Default false. */
  readonly failOnMissingInformer?: boolean;
  /** An informer that only reads use ends when there was none, and no `peek`, for so long. Default: with the cache. */
  readonly idleReadMs?: number;
  /** How long a read waits for what was written before it is answered by the server [RW1]. Default 10 s. */
  readonly readTimeoutMs?: number;
}
