import type { Clock } from "@keelson/core";
import type { QueueObserver } from "./queue-observer.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/** An item in the hands of a worker, who calls `done` with it when the work is over, whatever came of it. */
export interface Taken<Item> {
  readonly item: Item;
  /** What it was taken with. A worker that adds the item again passes it on. Always 0 from a queue without priorities. */
  readonly priority: number;
}

/**
 * Work that waits for workers. Items are told apart by their keys alone; of two items with one key the queue hands out
 * the one that was added last. Promises of every queue:
 *
 * - A key that was added is handed out, unless the queue shuts down first.
 * - A key is with one worker at a time.
 * - However often a key is added while it waits or is processed, it is handed out once more.
 *
 * Nothing here needs a lock or a loop: every method does its work before it returns.
 */
export interface Queue<Item> {
  /** How many items are ready to be handed out, or will be when the worker that has their key is done. */
  readonly length: number;
  readonly isShuttingDown: boolean;
  add(item: Item): void;
  /** Adds the item when the delay is over; at once if it is not above 0. */
  addAfter(item: Item, delayMs: number): void;
  /** Adds the item after the delay that the rate limiter asks for, which counts this as one more failure. */
  addRateLimited(item: Item): void;
  /** Waits for an item to work on; throws the signal's reason as soon as it aborts. No item is lost by that. */
  get(signal?: AbortSignal): Promise<Taken<Item> | "shutdown">;
  /** Gives the item back. Does nothing if no worker has it. */
  done(item: Item): void;
  /** Lets the rate limiter forget the item's failures. What is queued stays queued. */
  forget(item: Item): void;
  /** How many failures the rate limiter remembers. */
  numRequeues(item: Item): number;
  shutDown(): void;
}

/** What every queue is made with. */
export interface QueueOptions<Item> {
  readonly clock: Clock;
  readonly keyOf: (item: Item) => string;
  readonly rateLimiter?: RateLimiter;
  readonly observer?: QueueObserver;
}
