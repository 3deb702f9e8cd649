import { abortable, type Clock, formatKey, sleep } from "@keelson/core";
import type { Trigger } from "../queue/work-item.ts";
import { type HandlerContext, isPromise, type Keys } from "./handlers.ts";
import { normalizeError } from "./normalize-error.ts";
import type { EnqueueOptions, SourceContext } from "./source.ts";

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
    const error = normalizeError(caught);
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

const firstDelayMs = 100;
const delayFactor = 4;
const longestDelayMs = 60_000;
/** After so many attempts it is no passing trouble any more, and is reported. */
const attemptsBeforeReport = 5;
/** So many events of one subject wait to be tried again; those who bring more wait for room. */
const mostEvents = 1024;

export interface RetriedEventsOptions<Event> {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Tries to handle the event; throws if that cannot be. */
  readonly attempt: (event: Event) => void | Promise<void>;
  /** One event that is as good as both, the earlier one first; undefined if there is none. Default: there is none. */
  readonly merge?: ((earlier: Event, later: Event) => Event | undefined) | undefined;
  /** An event fails again and again: called once, and not again before the subject has no failed event any more. */
  readonly report: (event: Event, error: Error, attempts: number) => void;
}

/** The failed events of one subject. */
interface Streak<Event> {
  readonly events: Event[];
  lastError: Error;
  /** Resolves when it is over, or reported. */
  readonly firstAttempts: PromiseWithResolvers<void>;
  /** Settled when there is room for another event. */
  room: PromiseWithResolvers<void> | undefined;
}

/**
 * Events that could not be handled, which are tried again until they are: after 100 ms, 400 ms and so on up to a minute,
 * for as long as the signal does not abort (law 8). What is about one subject is tried again together, by one timer.
 */
export class RetriedEvents<Event> {
  readonly #options: RetriedEventsOptions<Event>;
  readonly #streaks: Map<string, Streak<Event>> = new Map();
  readonly #running: Set<Promise<void>> = new Set();

  constructor(options: RetriedEventsOptions<Event>) {
    this.#options = options;
  }

  /** Takes an event that failed. Gives a promise if the next one is to wait, because too many have failed. */
  add(subject: string, event: Event, error: Error): void | Promise<void> {
    const { signal } = this.#options;
    if (signal.aborted) return;
    const known = this.#streaks.get(subject);
    if (known === undefined) {
      const streak = { events: [event], lastError: error, firstAttempts: deferred(), room: undefined };
      this.#streaks.set(subject, streak);
      const running = this.#retry(subject, streak).finally(() => this.#running.delete(running));
      this.#running.add(running);
      return;
    }
    known.lastError = error;
    const last = known.events.at(-1);
    const merged = last === undefined ? undefined : this.#options.merge?.(last, event);
    if (merged !== undefined) known.events.splice(-1, 1, merged);
    else known.events.push(event);
    if (known.events.length < mostEvents) return;
    known.room ??= deferred();
    return known.room.promise;
  }

  /** Waits until all that have failed until now are handled or reported, or the signal aborts. */
  async triedEnough(): Promise<void> {
    await Promise.all([...this.#streaks.values()].map(({ firstAttempts }) => firstAttempts.promise));
  }

  /** Waits until all that have failed until now are handled, or the signal aborts and nothing is left running. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #retry(subject: string, streak: Streak<Event>): Promise<void> {
    const { clock, signal } = this.#options;
    try {
      for (let attempts = 1, delayMs = firstDelayMs; ; attempts++) {
        if (attempts === attemptsBeforeReport) this.#report(streak, attempts);
        await sleep(clock, delayMs, signal);
        await this.#tryAll(streak);
        if (streak.events.length === 0) return;
        delayMs = Math.min(delayMs * delayFactor, longestDelayMs);
      }
    } catch {
      // The signal has aborted: nothing is queued any more.
    } finally {
      this.#streaks.delete(subject);
      streak.firstAttempts.resolve();
      streak.room?.resolve();
    }
  }

  #report({ events: [event], lastError, firstAttempts }: Streak<Event>, attempts: number): void {
    firstAttempts.resolve();
    try {
      if (event !== undefined) this.#options.report(event, lastError, attempts);
    } catch {
      // A log that fails is no reason to lose the event.
    }
  }

  async #tryAll(streak: Streak<Event>): Promise<void> {
    const { signal, attempt } = this.#options;
    for (const event of [...streak.events]) {
      try {
        await attempt(event);
        signal.throwIfAborted();
        const place = streak.events.indexOf(event);
        // It is not there if it has been merged with a later one, which is tried as well.
        if (place !== -1) streak.events.splice(place, 1);
      } catch (caught) {
        signal.throwIfAborted();
        streak.lastError = normalizeError(caught);
      }
    }
    if (streak.events.length >= mostEvents) return;
    streak.room?.resolve();
    streak.room = undefined;
  }
}

function deferred(): PromiseWithResolvers<void> {
  return Promise.withResolvers();
}
