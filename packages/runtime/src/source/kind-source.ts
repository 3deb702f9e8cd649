import type { Selection } from "@keelson/client";
import { groupResourceOf, type KubeObject, type Resource } from "@keelson/core";
import type { InformerLease } from "../cache/cache.ts";
import type { EventHandler } from "./handlers.ts";
import { runInformer } from "./informer-source.ts";
import type { Predicate } from "./predicate.ts";
import type { RunningSource, Source, SourceContext } from "./source.ts";

export interface KindSourceOptions<T extends KubeObject, Key> {
  /** `metadataOnly(kind)` watches the metadata only. */
  readonly resource: Resource<T>;
  readonly handler: EventHandler<T, Key>;
  /** Those of the controller; asked first [EV6]. Default: none. */
  readonly globalPredicates?: readonly Predicate<T>[];
  /** Those of this source; asked if the others pass. Default: none. */
  readonly predicates?: readonly Predicate<T>[];
  /** For people. Default such as `watches deployments.apps`. */
  readonly name?: string;
  /** Watches only these objects. Default: what the cache's settings say of the kind. */
  readonly selection?: Selection;
  /** Every so often all objects are handled again, at low priority. Default: never. */
  readonly resyncMs?: number;
}

/**
 * The changes of the objects of a kind, by the informer that the cache shares. While the kind or the permission to read
 * it is missing, it says so every 10 s and has not synced; it goes on by itself when they are there [EV8].
 */
export function kindSource<T extends KubeObject, Key>(options: KindSourceOptions<T, Key>): Source<Key> {
  const { resource, selection, name = `watches ${groupResourceOf(resource)}` } = options;
  return {
    name,
    watches: { resource, ...(selection !== undefined && { selection }) },
    run: (context) => runKind({ ...options, name }, context),
  };
}

function runKind<T extends KubeObject, Key>(
  options: KindSourceOptions<T, Key> & { readonly name: string },
  context: SourceContext<Key>,
): RunningSource {
  const { resource, selection, globalPredicates = [], predicates = [], ...rest } = options;
  let lease: InformerLease<T>;
  try {
    lease = context.cache.acquire(resource, selection === undefined ? {} : { selection });
  } catch (error) {
    // Such as a namespace for a kind that has none: the controller cannot start, and says why.
    const synced = Promise.reject(error);
    synced.catch(() => undefined);
    return { synced, ended: Promise.resolve() };
  }
  const all = [...globalPredicates, ...predicates];
  return runInformer({ ...rest, informer: lease, predicates: all, release: () => lease.release() }, context);
}
