import type { Client, Selection } from "@keelson/client";
import { type Clock, type Resource, sleep } from "@keelson/core";
import type { Cache } from "../cache/cache.ts";
import type { Logger } from "../logger.ts";
import type { Trigger } from "../queue/work-item.ts";
import { normalizeError } from "./normalize-error.ts";

/** Events from before the controller, and those that change nothing, give way to real changes [EV10]. */
export const lowPriority = -100;

export interface EnqueueOptions {
  /** Why. */
  readonly trigger: Trigger;
  /** Default 0. */
  readonly priority?: number;
  /** Default: at once. */
  readonly afterMs?: number;
}

/** Puts a key into the queue of the controller that a source feeds. */
export type Enqueue<Key> = (key: Key, options: EnqueueOptions) => void;

/** What a source gets from the controller that it feeds. */
export interface SourceContext<Key> {
  readonly enqueue: Enqueue<Key>;
  /** Tells keys apart. */
  readonly formatKey: (key: Key) => string;
  readonly cache: Cache;
  /** Reads come from the cache, writes go to the server; for handlers that look something up. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the source. */
  readonly signal: AbortSignal;
}

export interface RunningSource {
  /** Resolves when the keys of everything that was there at the beginning are queued; rejects if that cannot be. */
  readonly synced: Promise<void>;
  /**
   * Resolves when nothing will be queued any more and nothing is left running: after the signal aborted, or earlier if
   * there is nothing more to come, as from a channel that was closed.
   */
  readonly ended: Promise<void>;
}

/** Objects that a source has the cache watch. */
export interface WatchedObjects {
  readonly resource: Resource;
  /** Only these. Default: what the cache's settings say of the kind. */
  readonly selection?: Selection;
}

/** Something that a controller hears of changes from. A value: it may be run by several controllers, or again. */
export interface Source<Key> {
  /** For people, such as `watches secrets`. */
  readonly name: string;
  /** What it has the cache watch, if it does, so that the permissions for it can be known before it runs. */
  readonly watches?: WatchedObjects;
  run(context: SourceContext<Key>): RunningSource;
}

const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

/** Queues keys until the signal aborts, or until there is nothing more to come. */
export type RunSource<Key> = (context: SourceContext<Key>) => Promise<void>;

/**
 * A source of one's own, such as a subscription to a message broker. It counts as synced as soon as it runs. If it
 * throws, that is logged, and it is run again after a second, two, four and so on up to a minute; from the beginning
 * after it has run for longer than that. What it queues after it has ended is not heard. One that must be waited for before the controller works implements `Source` itself.
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
      // Aborted is ended.
      await sleep(clock, delayMs, signal).catch(() => undefined);
    }
  };
  return { synced: Promise.resolve(), ended: keepRunning() };
}
