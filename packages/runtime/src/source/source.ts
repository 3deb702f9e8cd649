import type { Client, Selection } from "@keelson/client";
import { type Clock, type Resource, sleep } from "@keelson/core";
import type { Cache } from "../cache/cache.ts";
import type { Logger } from "../logger.ts";
import type { Trigger } from "../queue/work-item.ts";
import { normalizeError } from "./normalize-error.ts";

/** The priority of objects that existed before the controller, and of events without a change [EV10]. */
export const lowPriority = -100;
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

export interface EnqueueOptions {
  /** Why the key is enqueued. */
  readonly trigger: Trigger;
  /** Default 0. */
  readonly priority?: number;
  /** Default: at once. */
  readonly afterMs?: number;
}

/** Adds a key to the work queue of the controller that a source belongs to. */
export type Enqueue<Key> = (key: Key, options: EnqueueOptions) => void;

/** How a predicate or event handler failed: it threw, or did not end in time. */
export type HandlerFailure = "error" | "timeout";

/** What a source gets from its controller. */
export interface SourceContext<Key> {
  readonly enqueue: Enqueue<Key>;
  /** Distinguishes keys. */
  readonly formatKey: (key: Key) => string;
  readonly cache: Cache;
  /** Reads come from the cache, writes go to the server; for handlers that read other objects. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** Counts a predicate or handler of the source that threw or did not end in time. Default: nothing counts it. */
  readonly handlerFailed?: (source: string, reason: HandlerFailure) => void;
  /** Ends the source. */
  readonly signal: AbortSignal;
}

export interface RunningSource {
  /** Resolves when the keys of all objects that existed at the start are queued; rejects if that is impossible. */
  readonly synced: Promise<void>;
  /**
   * Resolves when the source enqueues nothing any more and nothing is left running: after the signal aborted, or earlier
   * if it has ended by itself, as a channel that was closed.
   */
  readonly ended: Promise<void>;
}

/** The objects that a source watches through the cache. */
export interface WatchedObjects {
  readonly resource: Resource;
  /** Only these. Default: those that the cache's settings select. */
  readonly selection?: Selection;
}

/** Produces keys for a controller. A value: several controllers may run it, and one may run it again. */
export interface Source<Key> {
  /** For logs and the causal log, such as `watches secrets`. */
  readonly name: string;
  /** What it watches through the cache, so that its permissions are known before it runs. */
  readonly watches?: WatchedObjects;
  run(context: SourceContext<Key>): RunningSource;
}

/** Enqueues keys until the signal aborts, or until the source has ended. */
export type RunSource<Key> = (context: SourceContext<Key>) => Promise<void>;

/**
 * A custom source, such as a subscription to a message broker. It counts as synced as soon as it runs. If it throws, the
 * error is logged, and it is run again after a second, two, four and so on up to a minute; after a run of more than a
 * minute the delays start over. Keys that it enqueues after its end are ignored. A source that the controller has to wait
 * for implements `Source` itself.
 */
export function sourceOf<Key>(name: string, run: RunSource<Key>): Source<Key> {
  return { name, run: (context) => runAgain(name, run, context) };
}

function runAgain<Key>(name: string, run: RunSource<Key>, context: SourceContext<Key>): RunningSource {
  const { clock, log, signal } = context;
  const runOnce = async (): Promise<void> => {
    let isRunning = true;
    const enqueue: Enqueue<Key> = (key, options) => {
      if (isRunning && !signal.aborted) context.enqueue(key, options);
    };
    try {
      await run({ ...context, enqueue });
    } finally {
      isRunning = false;
    }
  };
  const keepRunning = async (): Promise<void> => {
    for (let delayMs = firstRetryMs; !signal.aborted; delayMs = Math.min(delayMs * 2, longestRetryMs)) {
      const startedMs = clock.monotonicNow();
      try {
        await runOnce();
        return;
      } catch (caught) {
        if (signal.aborted) return;
        if (clock.monotonicNow() - startedMs > longestRetryMs) delayMs = firstRetryMs;
        const error = normalizeError(caught);
        log.error(`run ${name}: ${error.message}; it is run again in ${delayMs / 1000} s`, { error });
      }
      // The loop ends when the signal has aborted.
      await sleep(clock, delayMs, signal).catch(() => undefined);
    }
  };
  return { synced: Promise.resolve(), ended: keepRunning() };
}
