import type { KubeObject, LabelSelector, Resource, Stored } from "@keelson/core";

/** The key of the settings for all namespaces without an entry of their own. */
export const allNamespaces = "*";

/** Which objects of one namespace are cached, and how. A setting that is absent is inherited [IN17]. */
export interface NamespaceSettings<T extends KubeObject = KubeObject> {
  readonly labelSelector?: string | LabelSelector;
  readonly fieldSelector?: string;
  /**
   * Reduces objects before they are stored, such as to the part that is used. It may change its argument. Name, namespace,
   * uid and version must stay; of labels, those that reads select by.
   */
  transform?(object: Stored<T>): Stored<T>;
  /** Keeps the managedFields of objects. Default false [IN19]. */
  readonly keepManagedFields?: boolean;
}

/** The settings of every kind without settings of its own. */
export interface CacheDefaults {
  /**
   * The namespaces that namespaced kinds are watched in, each by a watch of its own; `*` is all other namespaces. Default: one
   * watch for all.
   */
  readonly namespaces?: Readonly<Record<string, AnyKindSettings>>;
  readonly labelSelector?: string | LabelSelector;
  readonly fieldSelector?: string;
  readonly transform?: AnyTransform;
  readonly keepManagedFields?: boolean;
  /**
   * How often subscribers without a period of their own receive everything again, from the store [IN13]; varied by up to
   * a tenth. Default 10 h, 0 is never.
   */
  readonly resyncMs?: number;
}

/** A transform for objects of any kind. */
type AnyTransform = <T extends KubeObject>(object: Stored<T>) => Stored<T>;

/** As NamespaceSettings, for all kinds. */
interface AnyKindSettings extends Omit<NamespaceSettings, "transform"> {
  readonly transform?: AnyTransform;
}

/** Which objects of one kind are cached, and how. */
export interface KindSettings<T extends KubeObject> extends NamespaceSettings<T> {
  /** The namespaces it is watched in; `*` is all other namespaces. Default: those of the defaults. Not for cluster-scoped kinds. */
  readonly namespaces?: Readonly<Record<string, NamespaceSettings<T>>>;
  /**
   * Objects are stored as bytes until they are read. Default true: it never costs more than parsing at once, and an object
   * that is not read takes half the memory. With a transform or an index, every object is parsed when it comes.
   */
  readonly parseOnRead?: boolean;
}

/** One kind with its settings; see `cacheKind`. */
export interface CachedKind<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  readonly settings: KindSettings<T>;
}

/** The settings of a kind, whose transform has the type of its objects. */
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
  /** A read of a kind without an informer is an error, instead of starting one [IN16]. Default false. */
  readonly failOnMissingInformer?: boolean;
  /** An informer that only reads use ends after this long without a read or `peek`. Default: with the cache. */
  readonly idleReadMs?: number;
  /**
   * How often discovery is requested for a kind of `ifServed` that the server does not serve; varied by up to a tenth.
   * Default 30 s.
   */
  readonly servedCheckMs?: number;
  /** How long a read waits for an own write before the server serves it [RW1]. Default 10 s. */
  readonly readTimeoutMs?: number;
}

/** The namespaces that the settings limit every kind to, unless a kind has its own; undefined if they do not. */
export function namespacesOf({ defaults }: CacheSettings = {}): readonly string[] | undefined {
  const namespaces = Object.keys(defaults?.namespaces ?? {});
  return namespaces.length === 0 || namespaces.includes(allNamespaces) ? undefined : namespaces;
}
