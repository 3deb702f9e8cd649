import { abortable, sleep } from "@keelson/core";
import { normalizeError } from "./normalize-error.ts";
import type { RunningSource, Source, SourceContext } from "./source.ts";

const firstRetryMs = 1_000;
/** The longest delay after a failure, unless `everyMs` is longer. */
const longestRetryMs = 60_000;

/** A task that runs for longer is logged. */
const slowMs = 60_000;

export interface IntervalSourceOptions<Key> {
  /** From the end of one call to the start of the next. */
  readonly everyMs: number;
  /** Returns the keys to enqueue. If it throws, the error is logged and it is called again soon. */
  readonly keys: (signal: AbortSignal) => Iterable<Key> | Promise<Iterable<Key>>;
  /** For logs and the causal log. Default such as `every 30 s`. */
  readonly name?: string;
}

/** Enqueues keys when the controller starts and periodically after that. */
export function intervalSource<Key>(options: IntervalSourceOptions<Key>): Source<Key> {
  const { everyMs, keys, name = `every ${everyMs / 1000} s` } = options;
  checkPeriod(name, everyMs);
  const run = (context: SourceContext<Key>) => {
    const task = async (signal: AbortSignal): Promise<void> => {
      const distinct = new Map<string, Key>();
      for (const key of await keys(signal)) distinct.set(context.formatKey(key), key);
      for (const key of distinct.values()) {
        if (!signal.aborted) context.enqueue(key, { trigger: { source: name, type: "generic" } });
      }
    };
    return runRepeatedly({ everyMs, action: `find the keys for ${name}`, task }, context);
  };
  return { name, run };
}

export interface RepeatOptions {
  readonly everyMs: number;
  /** What the task does, for the log, such as `poll buckets`. */
  readonly action: string;
  /** Never called before the last call has ended. */
  readonly task: (signal: AbortSignal) => Promise<void>;
}

/**
 * Runs the task at once and then periodically, counted from the end of the last run, until the signal aborts. A failure is
 * logged and the task is run again after a second, two, four and so on. The source counts as synced after the first run,
 * failed or not: an external system that fails must not keep a controller from its own work.
 */
export function runRepeatedly(
  { everyMs, action, task }: RepeatOptions,
  { clock, log, signal }: Pick<SourceContext<unknown>, "clock" | "log" | "signal">,
): RunningSource {
  const { promise: synced, resolve: markSynced, reject: failSync } = Promise.withResolvers<void>();
  synced.catch(() => undefined);
  let failures = 0;
  const attempt = async (): Promise<number> => {
    const cancelWarning = clock.schedule(slowMs, () =>
      log.warn(`${action}: it has not ended after ${slowMs / 1000} s, and is not run again before it has`),
    );
    try {
      await abortable(task(signal), signal);
      failures = 0;
      return everyMs;
    } catch (caught) {
      if (signal.aborted) throw caught;
      const error = normalizeError(caught);
      const delayMs = retryDelayMs(everyMs, failures);
      failures++;
      log.error(`${action}: ${error.message}; it is tried again in ${delayMs / 1000} s`, { error, failures });
      return delayMs;
    } finally {
      cancelWarning();
    }
  };
  const run = async (): Promise<void> => {
    try {
      signal.throwIfAborted();
      for (;;) {
        const delayMs = await attempt();
        markSynced();
        await sleep(clock, delayMs, signal);
      }
    } catch (error) {
      // Only the signal's reason comes here; it ends the wait for the sync.
      failSync(error);
    }
  };
  return { synced, ended: run() };
}

function retryDelayMs(everyMs: number, failures: number): number {
  return Math.min(Math.min(everyMs, firstRetryMs) * 2 ** failures, Math.max(everyMs, longestRetryMs));
}

/** Throws a RangeError that names the source if the period is not a positive number. */
export function checkPeriod(name: string, everyMs: number): void {
  if (everyMs > 0 && Number.isFinite(everyMs)) return;
  throw new RangeError(`make source ${name}: everyMs is ${everyMs}; give a number of milliseconds above 0`);
}
