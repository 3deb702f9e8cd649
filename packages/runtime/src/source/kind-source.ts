import {
  type ApiError,
  ForbiddenError,
  NotFoundError,
  type Selection,
  UnauthorizedError,
} from "@keelson/client";
import {
  aborted,
  apiVersionOf,
  type Clock,
  groupResourceOf,
  type KubeObject,
  type Resource,
} from "@keelson/core";
import type { InformerLease } from "../cache/cache.ts";
import type { Informer, InformerEvent, InformerStatus, Subscription } from "../cache/informer/informer.ts";
import type { Logger } from "../logger.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { EventHandler } from "./handlers.ts";
import { normalizeError } from "./normalize-error.ts";
import { type Predicate, passesAll } from "./predicates.ts";
import type { RunningSource, Source, SourceContext } from "./source.ts";
import { enqueueOptionsOf, mergeUpdates } from "./source-event.ts";

const reportEveryMs = 10_000;

export interface KindSourceOptions<T extends KubeObject, Key> {
  /** `metadataOnly(kind)` watches the metadata only, and `projected(kind, …)` a part of each object. */
  readonly resource: Resource<T>;
  readonly handler: EventHandler<T, Key>;
  /** Those of the controller; tested first [EV6]. Default: none. */
  readonly globalPredicates?: readonly Predicate<T>[];
  /** Those of this source; tested if the global ones pass. Default: none. */
  readonly predicates?: readonly Predicate<T>[];
  /** For logs and the causal log. Default such as `watches deployments.apps`. */
  readonly name?: string;
  /** Watches only these objects. Default: those that the cache's settings select. */
  readonly selection?: Selection;
  /** The period after which all objects are handled again, at low priority. Default: never. */
  readonly resyncMs?: number;
}

/**
 * The changes of the objects of a kind, through the shared informer of the cache. While the kind or the permission to read
 * it is missing, the source logs that every 10 s and has not synced; it continues by itself when they exist [EV8].
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
    // Such as a namespace for a cluster-scoped kind: the start of the controller fails with this error.
    const synced = Promise.reject(error);
    synced.catch(() => undefined);
    return { synced, ended: Promise.resolve() };
  }
  const all = [...globalPredicates, ...predicates];
  return runInformer({ ...rest, informer: lease, predicates: all, release: () => lease.release() }, context);
}

export interface InformerSourceOptions<T extends KubeObject, Key> {
  /** For logs and the causal log, such as `watches secrets in shop`. */
  readonly name: string;
  /** Belongs to the caller: only the subscription ends with the source. */
  readonly informer: Informer<T>;
  readonly handler: EventHandler<T, Key>;
  /** All must pass, in this order. Default: none. */
  readonly predicates?: readonly Predicate<T>[];
  /** The period after which all objects are handled again, at low priority. Default: never. */
  readonly resyncMs?: number;
}

/** The events of an informer that the caller holds. */
export function informerSource<T extends KubeObject, Key>(
  options: InformerSourceOptions<T, Key>,
): Source<Key> {
  return { name: options.name, run: (context) => runInformer(options, context) };
}

/** Subscribes until the signal aborts, then calls `release`. */
function runInformer<T extends KubeObject, Key>(
  options: InformerSourceOptions<T, Key> & { readonly release?: () => Promise<void> },
  context: SourceContext<Key>,
): RunningSource {
  const { name, informer, handler, predicates = [], resyncMs, release } = options;
  const { clock, log, signal } = context;
  const described = { source: name, kind: informer.resource.kind };
  const dispatcher = new Dispatcher<InformerEvent<T>, Key>({
    source: name,
    context,
    handler,
    passes: (event) => passesAll(predicates, event),
    describe: (event) => enqueueOptionsOf(event, described),
    merge: mergeUpdates,
  });
  const subscription = informer.subscribe(
    (event) => dispatcher.dispatch(event),
    resyncMs === undefined ? {} : { resyncMs },
  );
  const sync = async (): Promise<void> => {
    await waitForSyncLogging(subscription, informer, { source: name, clock, log, signal });
    signal.throwIfAborted();
  };
  const synced = sync();
  const end = async (): Promise<void> => {
    await aborted(signal);
    try {
      await subscription.remove();
      await release?.();
    } catch (caught) {
      const error = normalizeError(caught);
      log.error(`end ${name}: ${error.message}`, { error });
    }
    await Promise.allSettled([dispatcher.ended(), synced]);
  };
  // It may reject without a caller that waits for it.
  synced.catch(() => undefined);
  return { synced, ended: end() };
}

interface SyncReportOptions {
  /** The name of the source that waits. */
  readonly source: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Waits until the subscription has synced, and logs every 10 s what it waits for [EV8], such as a kind that does not exist
 * yet or a missing permission; the informer retries by itself. Throws the signal's reason when it aborts, and nothing
 * else; the caller decides how long to wait.
 */
async function waitForSyncLogging<T extends KubeObject>(
  subscription: Subscription,
  informer: Informer<T>,
  { source, clock, log, signal }: SyncReportOptions,
): Promise<void> {
  const report = (): void => {
    for (const status of informer.statuses.filter(({ hasSynced }) => !hasSynced)) {
      const message = `sync ${source}: ${obstacleOf(status, informer.resource)}`;
      const { lastError: error } = status;
      if (error === undefined) log.warn(message);
      else log.error(message, { error });
    }
    cancel = clock.schedule(reportEveryMs, report);
  };
  let cancel = clock.schedule(reportEveryMs, report);
  try {
    await subscription.synced(signal);
  } finally {
    cancel();
  }
}

/** What keeps an informer from having synced, and what to do about it. */
function obstacleOf({ name, phase, objects, lastError }: InformerStatus, resource: Resource): string {
  if (lastError instanceof NotFoundError) {
    return (
      `the API server serves no ${resource.plural} of ${apiVersionOf(resource)}; install the CRD of ` +
      `${groupResourceOf(resource)}, in that version`
    );
  }
  if (lastError instanceof ForbiddenError) {
    return (
      `reading ${name} is not allowed; grant the verbs list and watch on ${groupResourceOf(resource)} ` +
      `(${reasonOf(lastError)})`
    );
  }
  if (lastError instanceof UnauthorizedError) {
    return `the API server does not accept the credentials; renew them (${reasonOf(lastError)})`;
  }
  if (lastError !== undefined) return `${lastError.message}; it is tried again`;
  return `${name} is still ${phase}, with ${objects} objects so far; is the API server slow?`;
}

function reasonOf({ status }: ApiError): string {
  return status.message ?? status.reason ?? "no reason was given";
}
