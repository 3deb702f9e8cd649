import { checkPeriod, runRepeatedly } from "./repeat.ts";
import type { Source, SourceContext } from "./source.ts";

export interface IntervalSourceOptions<Key> {
  /** From the end of one time to the beginning of the next. */
  readonly everyMs: number;
  /** What is queued each time. If it throws, that is logged and it is asked again soon. */
  readonly keys: (signal: AbortSignal) => Iterable<Key> | Promise<Iterable<Key>>;
  /** For people. Default such as `every 30 s`. */
  readonly name?: string;
}

/** Queues keys when the controller starts and every so often after that, whatever happens. */
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
