import type { Clock } from "@keelson/core";
import { PriorityQueue, type PriorityQueueOptions } from "../queue/priority-queue.ts";
import type { Taken } from "../queue/queue.ts";
import type { QueueObserver } from "../queue/queue-observer.ts";
import { presetLimiter, type RateLimiter } from "../queue/rate-limiter.ts";
import type { EnqueueOptions } from "../source/source.ts";
import type { Trigger } from "../source/trigger.ts";
import type { ControllerDefinition } from "./controller-definition.ts";
import { addReason, addReasonsOf, newItem, textOf, type WorkItem } from "./work-item.ts";

const requeueTrigger: Trigger = { source: "requeue", type: "requeue" };
const retryTrigger: Trigger = { source: "retry", type: "retry" };

/**
 * The queue of a controller, and for each key in it why it is there. The reasons of a key are kept from when it is
 * queued until it is taken; those that come while it runs are for the next run.
 */
export class WorkInbox<Key> {
  readonly #clock: Clock;
  readonly #formatKey: (key: Key) => string;
  readonly #limiter: MeasuringLimiter;
  readonly #holdsBackoff: boolean;
  readonly #queue: PriorityQueue<WorkItem<Key>>;
  /** What is queued, by the key's text. */
  readonly #pending: Map<string, WorkItem<Key>> = new Map();

  constructor(definition: ControllerDefinition<Key>, clock: Clock, observer: QueueObserver | undefined) {
    const { formatKey, namespaceOf, settings } = definition;
    const { backoff = "controllerRuntime", holdBackoff = false, fairNamespaces = false } = settings;
    this.#clock = clock;
    this.#formatKey = formatKey;
    this.#holdsBackoff = holdBackoff;
    this.#limiter = new MeasuringLimiter(typeof backoff === "string" ? presetLimiter(backoff) : backoff());
    const options: PriorityQueueOptions<WorkItem<Key>> = {
      clock,
      keyOf: textOf,
      rateLimiter: this.#limiter,
      holdBackoff,
      ...(observer !== undefined && { observer }),
      ...(fairNamespaces && namespaceOf !== undefined && { groupOf: (item) => namespaceOf(item.key) }),
    };
    this.#queue = new PriorityQueue(options);
  }

  /** What sources call. */
  enqueue(key: Key, { trigger, priority = 0, afterMs = 0 }: EnqueueOptions): void {
    if (this.#queue.isShuttingDown) return;
    const item = this.#pend(key, this.#formatKey(key), trigger);
    this.#expectAt(item, this.#clock.monotonicNow() + Math.max(0, afterMs));
    if (priority === 0 && afterMs <= 0) this.#queue.add(item);
    else this.#queue.addWithOptions([item], { priority, afterMs });
  }

  /** Waits for a key to work on. Whoever gets one gives it back by `done`. */
  get(): Promise<Taken<WorkItem<Key>> | "shutdown"> {
    return this.#queue.get();
  }

  /** To be called with what `get` gave, before anything else: from now on reasons are for the next run. */
  taken(item: WorkItem<Key>): void {
    this.#pending.delete(item.text);
  }

  /** Queues a key again as if it had not been taken, for later. */
  putBack(item: WorkItem<Key>, priority: number, afterMs: number): void {
    if (this.#queue.isShuttingDown) return;
    const meanwhile = this.#pending.get(item.text);
    if (meanwhile !== undefined) addReasonsOf(item, meanwhile);
    this.#pending.set(item.text, item);
    item.readyAtMs = this.#clock.monotonicNow() + afterMs;
    this.#queue.addWithOptions([item], { priority, afterMs });
  }

  requeueAfter(item: WorkItem<Key>, priority: number, afterMs: number): void {
    if (this.#queue.isShuttingDown) return;
    const pending = this.#pend(item.key, item.text, requeueTrigger);
    this.#expectAt(pending, this.#clock.monotonicNow() + afterMs);
    this.#queue.addWithOptions([pending], { priority, afterMs });
  }

  /** Queues a key again after the back-off that it has earned, which is returned. */
  retry(item: WorkItem<Key>, priority: number, isFailure: boolean): number {
    if (this.#queue.isShuttingDown) return 0;
    const pending = this.#pend(item.key, item.text, isFailure ? retryTrigger : requeueTrigger);
    this.#queue.addWithOptions([pending], { priority, rateLimited: true });
    const dueMs = this.#clock.monotonicNow() + this.#limiter.lastDelayMs;
    if (this.#holdsBackoff) pending.heldUntilMs = dueMs;
    this.#expectAt(pending, dueMs);
    return this.#limiter.lastDelayMs;
  }

  forget(item: WorkItem<Key>): void {
    this.#queue.forget(item);
  }

  failuresOf(item: WorkItem<Key>): number {
    return this.#queue.numRequeues(item);
  }

  done(item: WorkItem<Key>): void {
    this.#queue.done(item);
  }

  /** Drops what is queued. Nothing is handed out or taken in any more. */
  shutDown(): void {
    this.#queue.shutDown();
    this.#pending.clear();
  }

  /** The item of a key that is to be queued, with one more reason. */
  #pend(key: Key, text: string, reason: Trigger): WorkItem<Key> {
    const known = this.#pending.get(text);
    if (known !== undefined) {
      addReason(known, reason);
      return known;
    }
    const item = newItem(key, text, reason);
    this.#pending.set(text, item);
    return item;
  }

  #expectAt(item: WorkItem<Key>, dueMs: number): void {
    item.readyAtMs = Math.max(Math.min(item.readyAtMs, dueMs), item.heldUntilMs);
  }
}

/** A limiter that remembers which delay it asked for last. */
class MeasuringLimiter implements RateLimiter {
  readonly #limiter: RateLimiter;
  lastDelayMs = 0;

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  when(key: string): number {
    this.lastDelayMs = this.#limiter.when(key);
    return this.lastDelayMs;
  }

  forget(key: string): void {
    this.#limiter.forget(key);
  }

  numRequeues(key: string): number {
    return this.#limiter.numRequeues(key);
  }
}
