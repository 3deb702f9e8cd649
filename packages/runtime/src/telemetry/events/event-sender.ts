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

export interface EventSenderOptions {
  readonly write: WriteEvent;
  readonly clock: Clock;
  readonly random: Random;
  readonly onSent: (how: "create" | "patch") => void;
  readonly onDrop: (reason: EventDropReason, event: TrackedEvent, error?: unknown) => void;
}

/** So many Events wait at most. */
const capacity = 1000;

/**
 * Writes Events one after the other, each as it is when its turn comes, so that whatever repeats while it waits costs no
 * request. While the server cannot be reached all of them wait.
 */
export class EventSender {
  readonly #options: EventSenderOptions;
  readonly #queue = new Set<TrackedEvent>();
  readonly #stopped = new AbortController();
  /** Undefined when there is nothing to do. */
  #running: Promise<void> | undefined;

  constructor(options: EventSenderOptions) {
    this.#options = options;
  }

  /** Has no effect on one that waits already; drops it if there is no room. */
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

  /** Waits until nothing waits; throws the signal's reason as soon as it aborts. */
  async idle(signal?: AbortSignal): Promise<void> {
    while (this.#running !== undefined) await abortable(this.#running, signal);
  }

  /** Drops what waits and ends the request under way. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error("the event recorder is stopped"));
    await this.#running;
  }

  async #run(): Promise<void> {
    // Whoever records an event goes on first.
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

  /** One try; how long to wait before the next one, if there is to be one. */
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
      // Only stopping ends it early, which whoever waits looks at next.
    }
  }
}

/** How often it is tried to write an Event [EVR1]. */
const mostTries = 12;

/**
 * What is done after a write failed for the so-many-th time: another try, or the event is dropped, and why.
 *
 * A refusal is retried only where a server that has just come back gives it: it answers 403 until it has read its RBAC
 * rules. A replica that does not lead, with a write guard in front, may lead soon.
 */
function afterFailure(error: unknown, tries: number): "retry" | EventDropReason {
  if (isNamespaceGone(error)) return "namespace_gone";
  if (isFinal(error)) return "rejected";
  if (error instanceof ForbiddenError && tries === 1) return "forbidden";
  if (tries < mostTries) return "retry";
  return error instanceof ForbiddenError ? "forbidden" : "retries_exhausted";
}

/** A namespace that is being deleted takes no new objects; one that is gone is not found. */
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

/** How long to wait before the next try: 0.5 s, doubled up to 20 s, or what the server asks for, and up to a quarter more. */
function delayAfter(error: unknown, tries: number, fraction: number): number {
  const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
  const delayMs = Math.min(firstDelayMs * 2 ** (tries - 1), longestDelayMs);
  return Math.max(delayMs, askedMs) * (1 + fraction / 4);
}
