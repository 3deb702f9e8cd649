import {
  ApiError,
  BadRequestError,
  ForbiddenError,
  InvalidCallError,
  InvalidError,
  NotFoundError,
  TooLargeError,
  TransportClosedError,
} from "@keelson/client";
import { abortable, type Clock, type Random, sleep } from "@keelson/core";
import type { TrackedEvent } from "./correlator.ts";
import type { EventDropReason } from "./drop-report.ts";
import type { WriteEvent } from "./event-writer.ts";

/** What a sender works with. */
export interface EventSenderOptions {
  readonly write: WriteEvent;
  readonly clock: Clock;
  readonly random: Random;
  readonly onSent: (how: "create" | "patch") => void;
  readonly onDrop: (reason: EventDropReason, event: TrackedEvent, error?: unknown) => void;
}

/** The maximum number of Events that wait. */
const capacity = 1000;

/**
 * Writes Events one after the other, each in its state at the time of the write, so that repetitions of a waiting Event
 * cost no request. While the server cannot be reached, all of them wait.
 */
export class EventSender {
  readonly #options: EventSenderOptions;
  readonly #queue = new Set<TrackedEvent>();
  readonly #stopped = new AbortController();
  /** Undefined when no Event waits. */
  #running: Promise<void> | undefined;

  constructor(options: EventSenderOptions) {
    this.#options = options;
  }

  /** Has no effect on an Event that waits already; drops the Event if too many wait. */
  add(event: TrackedEvent): void {
    if (this.#queue.has(event)) return;
    const isStopped = this.#stopped.signal.aborted;
    if (isStopped || this.#queue.size >= capacity) {
      this.#options.onDrop(isStopped ? "stopped" : "buffer_full", event);
      return;
    }
    this.#queue.add(event);
    event.isQueued = true;
    this.#running ??= this.#run();
  }

  /** Resolves when no Event waits; throws the signal's reason as soon as it aborts. */
  async idle(signal?: AbortSignal): Promise<void> {
    while (this.#running !== undefined) await abortable(this.#running, signal);
  }

  /** Drops the waiting Events and aborts the request in flight. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error("the event recorder is stopped"));
    await this.#running;
  }

  async #run(): Promise<void> {
    // The caller that recorded the event continues first.
    await Promise.resolve();
    for (const event of this.#queue) {
      this.#queue.delete(event);
      event.isQueued = false;
      await this.#deliver(event);
    }
    this.#running = undefined;
  }

  async #deliver(event: TrackedEvent): Promise<void> {
    for (let tries = 1; !this.#stopped.signal.aborted; tries++) {
      const outcome = await this.#try(event, tries);
      if (outcome === "done") return;
      await this.#wait(outcome.delayMs);
    }
    this.#options.onDrop("stopped", event);
  }

  /** One attempt; returns the delay before the next one, if there is one. */
  async #try(event: TrackedEvent, tries: number): Promise<"done" | { readonly delayMs: number }> {
    const { write, onSent, onDrop, random } = this.#options;
    const { signal } = this.#stopped;
    const { count } = event;
    if (count <= event.savedCount) return "done";
    try {
      const how = await write(event, signal);
      event.savedCount = count;
      onSent(how);
      return "done";
    } catch (error) {
      if (signal.aborted) return { delayMs: 0 };
      const verdict = afterFailure(error, tries);
      if (verdict === "retry") return { delayMs: delayAfter(error, tries, random.next()) };
      onDrop(verdict, event, error);
      return "done";
    }
  }

  async #wait(delayMs: number): Promise<void> {
    try {
      await sleep(this.#options.clock, delayMs, this.#stopped.signal);
    } catch {
      // Only `stop` aborts the delay, which the caller checks.
    }
  }
}

/** The maximum number of attempts to write an Event [EVR1]. */
const maxTries = 12;

/**
 * What to do after a failed attempt: retry, or drop the event for the returned reason.
 *
 * A 403 after an earlier failure is retried, since a server that has just restarted refuses requests until it has read its
 * RBAC rules. A NotLeaderError of a write guard is retried, since this replica may lead soon.
 */
function afterFailure(error: unknown, tries: number): "retry" | EventDropReason {
  if (isNamespaceGone(error)) return "namespace_gone";
  if (isFinal(error)) return "rejected";
  if (error instanceof ForbiddenError && tries === 1) return "forbidden";
  if (tries < maxTries) return "retry";
  return error instanceof ForbiddenError ? "forbidden" : "retries_exhausted";
}

/** A namespace that is being deleted accepts no new objects; a deleted one is not found. */
function isNamespaceGone(error: unknown): boolean {
  if (error instanceof NotFoundError) return true;
  if (!(error instanceof ForbiddenError)) return false;
  return error.status.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") ?? false;
}

/** The same request will be refused again. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof InvalidError ||
    error instanceof BadRequestError ||
    error instanceof TooLargeError ||
    error instanceof InvalidCallError ||
    error instanceof TransportClosedError ||
    error instanceof TypeError
  );
}

const firstDelayMs = 500;
const longestDelayMs = 20_000;

/** The delay before the next attempt: 0.5 s, doubled up to 20 s, or the Retry-After of the server, and up to a quarter more. */
function delayAfter(error: unknown, tries: number, fraction: number): number {
  const requestedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
  const delayMs = Math.min(firstDelayMs * 2 ** (tries - 1), longestDelayMs);
  return Math.max(delayMs, requestedMs) * (1 + fraction / 4);
}
