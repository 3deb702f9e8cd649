import { abortable, formatKey } from "@keelson/core";
import type { Trigger } from "../queue/work-item.ts";
import { type HandlerContext, isPromise, type Keys } from "./handlers.ts";
import { RetriedEvents } from "./retried-events.ts";
import type { EnqueueOptions, SourceContext } from "./source.ts";
import { soundError } from "./thrown.ts";

export interface DispatcherOptions<Event, Key> {
  readonly context: SourceContext<Key>;
  readonly passes: (event: Event) => boolean;
  readonly handler: (event: Event, context: HandlerContext) => Keys<Key>;
  readonly describe: (event: Event) => EnqueueOptions;
  /** One event that concerns all that two of an object do, the earlier one first; undefined if none does. */
  readonly merge?: (earlier: Event, later: Event) => Event | undefined;
}

/**
 * The way of an event into the queue: the predicates, the handler, each key once.
 *
 * User code runs on it, and an error of that code must neither lose the event nor hold up the others. So an event whose
 * predicate or handler throws steps aside and is tried again until it is handled; after the fifth time there is an error
 * in the log, once per object. That it may come after later events does no harm: what is queued is a key, not a state.
 *
 * Nothing is queued once the signal has aborted.
 */
export class Dispatcher<Event, Key> {
  readonly #options: DispatcherOptions<Event, Key>;
  readonly #handlerContext: HandlerContext;
  readonly #retried: RetriedEvents<Event>;

  constructor(options: DispatcherOptions<Event, Key>) {
    this.#options = options;
    const { client, clock, signal } = options.context;
    this.#handlerContext = { client, signal };
    this.#retried = new RetriedEvents({
      clock,
      signal,
      attempt: (event) => this.#attempt(event),
      merge: options.merge,
      report: (event, error, attempts) => this.#report(event, error, attempts),
    });
  }

  /** Never throws. Gives a promise only if the handler does, or if too much has failed; the next event must wait for it. */
  dispatch(event: Event): void | Promise<void> {
    try {
      const handled = this.#attempt(event);
      if (handled !== undefined) return handled.catch((caught) => this.#stepAside(event, caught));
    } catch (caught) {
      return this.#stepAside(event, caught);
    }
  }

  /** Waits until the events that stepped aside until now are handled, or have failed so often that it is in the log. */
  async settled(): Promise<void> {
    await this.#retried.triedEnough();
  }

  /** Waits until the events that stepped aside until now are handled, or until the signal has aborted. */
  async ended(): Promise<void> {
    await this.#retried.ended();
  }

  #attempt(event: Event): void | Promise<void> {
    const keys = this.#keysOf(event);
    if (isPromise(keys)) return this.#finish(event, keys);
    this.#enqueue(event, keys);
  }

  async #finish(event: Event, keys: Promise<Iterable<Key>>): Promise<void> {
    this.#enqueue(event, await abortable(keys, this.#signal));
  }

  #stepAside(event: Event, caught: unknown): void | Promise<void> {
    if (this.#signal.aborted) return;
    const error = soundError(caught);
    const { object } = this.#options.describe(event).trigger;
    this.#options.context.log.debug(`${this.#action(event)}: ${error.message}; it is tried again`, { error });
    return this.#retried.add(object === undefined ? "" : formatKey(object), event, error);
  }

  #report(event: Event, error: Error, attempts: number): void {
    this.#options.context.log.error(
      `${this.#action(event)}: ${error.message} (tried ${attempts} times); what it concerns is not queued until ` +
        "this succeeds, which is tried every minute; mend the predicate or the handler that threw",
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
