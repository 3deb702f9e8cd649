import { abortable, formatKey, sleep, toError } from "@keelson/core";
import { type HandlerContext, isPromise, type Keys } from "./handlers.ts";
import type { EnqueueOptions, SourceContext } from "./source.ts";
import type { Trigger } from "./trigger.ts";

/** How long to wait before a handler that threw is asked again, each time; after the last it is given up. */
const retryDelaysMs = [100, 400, 1_600, 6_400] as const;

export interface DispatcherOptions<Event, Key> {
  readonly context: SourceContext<Key>;
  readonly passes: (event: Event) => boolean;
  readonly handler: (event: Event, context: HandlerContext) => Keys<Key>;
  readonly describe: (event: Event) => EnqueueOptions;
}

/**
 * The way of an event into the queue: the predicates, the handler, each key once.
 *
 * User code runs on it, and an error of that code must neither lose the event silently nor hold up the others. So an
 * event whose predicate or handler throws steps aside and is tried again a few times, and then there is an error in
 * the log. That it may come after later events does no harm: what is queued is a key, not a state.
 *
 * Nothing is queued once the signal has aborted.
 */
export class Dispatcher<Event, Key> {
  readonly #options: DispatcherOptions<Event, Key>;
  readonly #handlerContext: HandlerContext;
  readonly #retries = new Set<Promise<void>>();

  constructor(options: DispatcherOptions<Event, Key>) {
    this.#options = options;
    const { client, signal } = options.context;
    this.#handlerContext = { client, signal };
  }

  /** Never throws. Gives a promise only if the handler does; the next event must wait for it. */
  dispatch(event: Event): void | Promise<void> {
    try {
      const keys = this.#keysOf(event);
      if (isPromise(keys)) return this.#finish(event, keys);
      this.#enqueue(event, keys);
    } catch (caught) {
      this.#retryAside(event, toError(caught));
    }
  }

  /** Waits for the events that stepped aside until now. */
  async settled(): Promise<void> {
    await Promise.all(this.#retries);
  }

  async #finish(event: Event, keys: Promise<Iterable<Key>>): Promise<void> {
    try {
      this.#enqueue(event, await abortable(keys, this.#signal));
    } catch (caught) {
      this.#retryAside(event, toError(caught));
    }
  }

  #retryAside(event: Event, error: Error): void {
    if (this.#signal.aborted) return;
    const retry = this.#retry(event, error).finally(() => this.#retries.delete(retry));
    this.#retries.add(retry);
  }

  async #retry(event: Event, firstError: Error): Promise<void> {
    const { clock, log } = this.#options.context;
    let error = firstError;
    for (const delayMs of retryDelaysMs) {
      log.debug(`${this.#action(event)}: ${error.message}; it is tried again in ${delayMs} ms`, { error });
      try {
        await sleep(clock, delayMs, this.#signal);
        this.#enqueue(event, await abortable(Promise.resolve(this.#keysOf(event)), this.#signal));
        return;
      } catch (caught) {
        error = toError(caught);
      }
      if (this.#signal.aborted) return;
    }
    log.error(
      `${this.#action(event)}: ${error.message} (tried ${retryDelaysMs.length + 1} times); what it concerns is not ` +
        `queued until it changes again, mend the predicate or the handler that threw`,
      { error, ...objectField(this.#options.describe(event).trigger) },
    );
  }

  #keysOf(event: Event): Keys<Key> {
    const { passes, handler } = this.#options;
    return this.#signal.aborted || !passes(event) ? [] : handler(event, this.#handlerContext);
  }

  #enqueue(event: Event, keys: Iterable<Key>): void {
    const { context, describe } = this.#options;
    // All of them before the first is queued: an iterable may throw half-way.
    const distinct = new Map<string, Key>();
    for (const key of keys) distinct.set(context.formatKey(key), key);
    if (distinct.size === 0 || this.#signal.aborted) return;
    const options = describe(event);
    for (const key of distinct.values()) context.enqueue(key, options);
  }

  #action(event: Event): string {
    const { source, type, object } = this.#options.describe(event).trigger;
    const subject = object === undefined ? "an event" : `the ${type} of ${object.kind} ${formatKey(object)}`;
    return `find the keys for ${subject} (${source})`;
  }

  get #signal(): AbortSignal {
    return this.#options.context.signal;
  }
}

function objectField({ object }: Trigger): Readonly<Record<string, unknown>> {
  if (object === undefined) return {};
  const { kind, name, namespace } = object;
  return { [kind]: namespace === undefined ? { name } : { namespace, name } };
}
