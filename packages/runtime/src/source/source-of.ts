import { sleep } from "@keelson/core";
import type { Enqueue, RunningSource, Source, SourceContext } from "./source.ts";
import { soundError } from "./thrown.ts";

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
        const error = soundError(caught);
        log.error(`run ${name}: ${error.message}; it is run again in ${delayMs / 1000} s`, { error });
      }
      // Aborted is ended.
      await sleep(clock, delayMs, signal).catch(() => undefined);
    }
  };
  return { synced: Promise.resolve(), ended: keepRunning() };
}
