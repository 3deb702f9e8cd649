import { type Clock, sleep } from "@keelson/core";
import { soundError } from "./thrown.ts";

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
        streak.lastError = soundError(caught);
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
