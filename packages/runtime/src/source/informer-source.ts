import { aborted, type KubeObject } from "@keelson/core";
import type { Informer, InformerEvent } from "../cache/informer/informer.ts";
import { Dispatcher } from "./dispatcher.ts";
import { enqueueOptionsOf, mergeUpdates } from "./event-trigger.ts";
import type { EventHandler } from "./handlers.ts";
import { type Predicate, passesAll } from "./predicate.ts";
import type { RunningSource, Source, SourceContext } from "./source.ts";
import { syncedAloud } from "./sync-report.ts";
import { soundError } from "./thrown.ts";

export interface InformerSourceOptions<T extends KubeObject, Key> {
  /** For people, such as `watches secrets in shop`. */
  readonly name: string;
  /** Stays the caller's: only the subscription ends with the source. */
  readonly informer: Informer<T>;
  readonly handler: EventHandler<T, Key>;
  /** All must pass, in this order. Default: none. */
  readonly predicates?: readonly Predicate<T>[];
  /** Every so often all objects are handled again, at low priority. Default: never. */
  readonly resyncMs?: number;
}

/** The events of an informer that somebody else holds. */
export function informerSource<T extends KubeObject, Key>(
  options: InformerSourceOptions<T, Key>,
): Source<Key> {
  return { name: options.name, run: (context) => runInformer(options, context) };
}

/** Subscribes until the signal aborts; `release` gives the informer back after that. */
export function runInformer<T extends KubeObject, Key>(
  options: InformerSourceOptions<T, Key> & { readonly release?: () => Promise<void> },
  context: SourceContext<Key>,
): RunningSource {
  const { name, informer, handler, predicates = [], resyncMs, release } = options;
  const { clock, log, signal } = context;
  const described = { source: name, kind: informer.resource.kind };
  const dispatcher = new Dispatcher<InformerEvent<T>, Key>({
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
    await syncedAloud(subscription, informer, { source: name, clock, log, signal });
    await dispatcher.settled();
    signal.throwIfAborted();
  };
  const synced = sync();
  const end = async (): Promise<void> => {
    await aborted(signal);
    try {
      await subscription.remove();
      await release?.();
    } catch (caught) {
      const error = soundError(caught);
      log.error(`end ${name}: ${error.message}`, { error });
    }
    await Promise.allSettled([dispatcher.ended(), synced]);
  };
  // Whoever waits for `synced` is told; nobody need wait for it.
  synced.catch(() => undefined);
  return { synced, ended: end() };
}
