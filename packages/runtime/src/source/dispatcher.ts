import { abortable, type Clock, formatKey, sleep } from "@keelson/core";
import type { Trigger } from "../queue/work-item.ts";
import { type HandlerContext, isPromise, type Keys } from "./handlers.ts";
import { normalizeError } from "./normalize-error.ts";
import { HandlerTimeoutError, SlowHandlers } from "./slow-handlers.ts";
import type { EnqueueOptions, SourceContext } from "./source.ts";

const firstDelayMs = 100;
const delayFactor = 4;
const longestDelayMs = 60_000;
/** After this many attempts the error is not temporary, and is reported. */
const attemptsBeforeReport = 5;
/** This many events of one object wait for a retry; the delivery of more events waits. */
const mostEvents = 1024;

export interface DispatcherOptions<Event, Key> {
  /** The name of the source. */
  readonly source: string;
  readonly context: SourceContext<Key>;
  readonly passes: (event: Event) => boolean;
  readonly handler: (event: Event, context: HandlerContext) => Keys<Key>;
  readonly describe: (event: Event) => EnqueueOptions;
  /** One event in place of two of an object, the earlier one first; undefined if they cannot be merged. */
  readonly merge?: (earlier: Event, later: Event) => Event | undefined;
}

/**
 * Turns an event into keys of the work queue: tests the predicates, calls the handler, and enqueues each key once.
 *
 * Predicates and handlers are user code, and an error of that code must neither lose the event nor delay other events. So
 * an event whose predicate or handler throws, or whose handler does not end in time, is retried until it is handled. An
 * error is logged once per object: after the fifth attempt, or at once for a handler that does not end. That an event may
 * come after later ones is harmless: a key is enqueued, not a state.
 *
 * Nothing is enqueued once the signal has aborted.
 */
export class Dispatcher<Event, Key> {
  readonly #options: DispatcherOptions<Event, Key>;
  readonly #handlerContext: HandlerContext;
  readonly #slow: SlowHandlers;
  readonly #retried: RetriedEvents<Event>;

  constructor(options: DispatcherOptions<Event, Key>) {
    this.#options = options;
    const { client, clock, signal } = options.context;
    this.#handlerContext = { client, signal };
    this.#slow = new SlowHandlers(clock, (overdue, ranForMs) => this.#warnOfSlow(overdue, ranForMs));
    this.#retried = new RetriedEvents({
      clock,
      signal,
      attempt: (event) => this.#attempt(event),
      failed: (error) => this.#count(error),
      merge: options.merge,
      report: (event, error, attempts) => this.#report(event, error, attempts),
    });
  }

  /**
   * Never throws. Returns a promise if the handler does, or if too many events failed; the next event waits for it. The
   * promise resolves when the handler has ended, has thrown, or is overdue.
   */
  dispatch(event: Event): void | Promise<void> {
    try {
      const handled = this.#attempt(event);
      if (handled === undefined) return;
      return this.#slow.next(handled.catch((caught) => this.#retryLater(event, caught)));
    } catch (caught) {
      return this.#retryLater(event, caught);
    }
  }

  /** Waits until the events that are overdue or have failed until now are handled, or until the signal has aborted. */
  async ended(): Promise<void> {
    await this.#slow.ended();
    await this.#retried.ended();
  }

  #attempt(event: Event): void | Promise<void> {
    const keys = this.#keysOf(event);
    if (isPromise(keys)) return this.#finish(event, keys);
    this.#enqueue(event, keys);
  }

  async #finish(event: Event, keys: Promise<Iterable<Key>>): Promise<void> {
    this.#enqueue(event, await this.#slow.limited(abortable(keys, this.#signal)));
  }

  #retryLater(event: Event, caught: unknown): void | Promise<void> {
    if (this.#signal.aborted) return;
    const error = normalizeError(caught);
    const { object } = this.#options.describe(event).trigger;
    this.#options.context.log.debug(`${this.#action(event)}: ${error.message}; it is tried again`, { error });
    return this.#retried.add(object === undefined ? "" : formatKey(object), event, error);
  }

  #report(event: Event, error: Error, attempts: number): void {
    const times = attempts === 1 ? "once" : `${attempts} times`;
    this.#options.context.log.error(
      `${this.#action(event)}: ${error.message} (tried ${times}); its keys are not enqueued until this succeeds, which ` +
        "is tried up to every minute; correct the predicate or the handler",
      { error, ...objectField(this.#options.describe(event).trigger) },
    );
  }

  #count(error: Error): void {
    const { source, context } = this.#options;
    context.handlerFailed?.(source, error instanceof HandlerTimeoutError ? "timeout" : "error");
  }

  #warnOfSlow(overdue: number, ranForMs: number): void {
    const { source, context } = this.#options;
    context.log.warn(
      `find the keys for an event (${source}): the handler has not ended after ${ranForMs / 1000} s; other events are ` +
        "handled meanwhile; does it wait for something that never comes? Pass its signal on, and limit its waits",
      { source, overdue },
    );
  }

  #keysOf(event: Event): Keys<Key> {
    const { passes, handler } = this.#options;
    return this.#signal.aborted || !passes(event) ? [] : handler(event, this.#handlerContext);
  }

  #enqueue(event: Event, keys: Iterable<Key>): void {
    const { context, describe } = this.#options;
    // All keys before the first is enqueued: an iterable may throw half-way.
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

interface RetriedEventsOptions<Event> {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Tries to handle the event; throws if that fails. */
  readonly attempt: (event: Event) => void | Promise<void>;
  /** See DispatcherOptions. */
  readonly merge?: ((earlier: Event, later: Event) => Event | undefined) | undefined;
  /** Called for every failure. */
  readonly failed: (error: Error) => void;
  /** Called when an event fails repeatedly or does not end: once, and not again before all failed events of the object are handled. */
  readonly report: (event: Event, error: Error, attempts: number) => void;
}

/** The failed events of one object. */
interface Streak<Event> {
  readonly events: Event[];
  lastError: Error;
  attempts: number;
  isReported: boolean;
  /** Resolves when there is room for another event. */
  room: PromiseWithResolvers<void> | undefined;
}

/**
 * Events that failed and are retried until they succeed: after 100 ms, 400 ms and so on up to a minute, as long as the
 * signal does not abort (law 8). The events of one object are retried together, by one timer.
 */
class RetriedEvents<Event> {
  readonly #options: RetriedEventsOptions<Event>;
  readonly #streaks: Map<string, Streak<Event>> = new Map();
  readonly #running: Set<Promise<void>> = new Set();

  constructor(options: RetriedEventsOptions<Event>) {
    this.#options = options;
  }

  /** Adds an event that failed. Returns a promise if the next event has to wait, because too many have failed. */
  add(object: string, event: Event, error: Error): void | Promise<void> {
    const { signal, failed } = this.#options;
    if (signal.aborted) return;
    failed(error);
    const known = this.#streaks.get(object);
    if (known === undefined) {
      const streak = { events: [event], lastError: error, attempts: 1, isReported: false, room: undefined };
      this.#streaks.set(object, streak);
      const running = this.#retry(object, streak).finally(() => this.#running.delete(running));
      this.#running.add(running);
      return;
    }
    known.lastError = error;
    const last = known.events.at(-1);
    const merged = last === undefined ? undefined : this.#options.merge?.(last, event);
    if (merged !== undefined) known.events.splice(-1, 1, merged);
    else known.events.push(event);
    if (known.events.length < mostEvents) return;
    known.room ??= Promise.withResolvers();
    return known.room.promise;
  }

  /** Waits until all events that have failed until now are handled, or the signal aborts and nothing is running. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #retry(object: string, streak: Streak<Event>): Promise<void> {
    const { clock, signal } = this.#options;
    try {
      for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * delayFactor, longestDelayMs)) {
        this.#reportOnce(streak);
        await sleep(clock, delayMs, signal);
        streak.attempts++;
        await this.#tryAll(streak);
        if (streak.events.length === 0) return;
      }
    } catch {
      // The signal has aborted: nothing is enqueued any more.
    } finally {
      this.#streaks.delete(object);
      streak.room?.resolve();
    }
  }

  #reportOnce(streak: Streak<Event>): void {
    const { events, lastError, attempts, isReported } = streak;
    const [event] = events;
    const isLasting = attempts >= attemptsBeforeReport || lastError instanceof HandlerTimeoutError;
    if (isReported || !isLasting || event === undefined) return;
    streak.isReported = true;
    this.#options.report(event, lastError, attempts);
  }

  async #tryAll(streak: Streak<Event>): Promise<void> {
    const { signal, attempt, failed } = this.#options;
    for (const event of [...streak.events]) {
      try {
        await attempt(event);
        signal.throwIfAborted();
        const place = streak.events.indexOf(event);
        // An event that was merged with a later one is no longer in the list; the merged one is tried as well.
        if (place !== -1) streak.events.splice(place, 1);
      } catch (caught) {
        signal.throwIfAborted();
        streak.lastError = normalizeError(caught);
        failed(streak.lastError);
      }
    }
    if (streak.events.length >= mostEvents) return;
    streak.room?.resolve();
    streak.room = undefined;
  }
}
