import type { Clock } from "@keelson/core";
import { DelayHeap } from "./delay-heap.ts";
import type { QueueObserver, UnfinishedWork } from "./queue-observer.ts";
import {
  limitedDelay,
  presetLimiter,
  type RateLimiter,
  requireFinite,
  shorterDelay,
} from "./rate-limiter.ts";
import { RetriesLast } from "./ready-order.ts";
import { Waiters } from "./waiters.ts";
import {
  addReason,
  addRequeue,
  atOnce,
  type DequeuedItem,
  newItem,
  OldestAgeTracker,
  prependReasons,
  type Trigger,
  type WorkItem,
} from "./work-item.ts";

/** How a key is added. */
export interface AddOptions {
  /** Default: no delay. */
  readonly afterMs?: number;
  /**
   * Delays the key as the rate limiter demands, or by `afterMs` if that is given and shorter. Without a `priority` the key
   * counts as a retry. Default: no.
   */
  readonly rateLimited?: boolean;
  /** Keys of higher priority are dequeued first. Default: 0. */
  readonly priority?: number;
  /** Why the key is added. Default: no reason is recorded. */
  readonly trigger?: Trigger;
}

export interface WorkQueueOptions<Key> {
  readonly clock: Clock;
  /** Distinguishes keys: two keys of one text are one key, and the one that was added last is dequeued. */
  readonly formatKey: (key: Key) => string;
  /** Default: the `controllerRuntime` preset. */
  readonly rateLimiter?: RateLimiter;
  readonly observer?: QueueObserver;
  /** Fairness: within a priority, the groups (say, namespaces) take turns. Default: first come, first served. */
  readonly groupOf?: (key: Key) => string;
  /**
   * Whether a back-off holds against everything else: a key that was added rate-limited is not dequeued before that
   * delay is over, even if it is added without a delay before, during or after the failure that caused the back-off.
   * Default: no, an add without delay makes the key ready at once, as in Go.
   */
  readonly holdBackoff?: boolean;
}

/** What identifies an item to the queue. */
type ItemOf<Key> = Pick<DequeuedItem<Key>, "key" | "keyText">;

/** What decides, before the time at which it became ready, when an item is dequeued. */
type Rank = Pick<DequeuedItem<unknown>, "priority" | "isRetry">;

const requeueTrigger: Trigger = { source: "requeue", type: "requeue" };
const retryTrigger: Trigger = { source: "retry", type: "retry" };
const noOptions: AddOptions = {};

/**
 * The work queue of a controller, as in controller-runtime: keys of higher priority are dequeued first, those of one
 * priority in the order in which they became ready. Retries come after all other keys, but at least every tenth key is one
 * while any is ready [PQ12]. It promises:
 *
 * - A key that was added is dequeued, unless the queue shuts down first.
 * - A key is with one worker at a time.
 * - A key is queued at most once: adding it again keeps the higher priority and the earlier time, and adds a reason.
 *   However often it is added while it waits or is processed, it is dequeued once more.
 *
 * The reasons of a key are kept from when it is queued until it is dequeued; those that come while it is processed are
 * for the next run. Every method finishes its work before it returns.
 */
export class WorkQueue<Key> {
  readonly #clock: Clock;
  readonly #formatKey: (key: Key) => string;
  readonly #groupOf: (key: Key) => string;
  readonly #rateLimiter: RateLimiter;
  readonly #holdsBackoff: boolean;
  readonly #observer: QueueObserver | undefined;

  /** All that is queued. Each item is in `waiting`, or ready and in `order`, or ready and its key in `processing`. */
  readonly #items: Map<string, WorkItem<Key>> = new Map();
  readonly #waiting: DelayHeap<WorkItem<Key>>;
  /** What may be dequeued: the ready items whose keys no worker has. */
  readonly #order: RetriesLast<WorkItem<Key>> = new RetriesLast();
  /** When the items of `order` entered it. */
  readonly #ages = new OldestAgeTracker();
  readonly #processing = new Processing();
  /** Workers without work. Some wait only while `order` is empty and the queue is not shut down. */
  readonly #waiters: Waiters<DequeuedItem<Key> | "shutdown"> = new Waiters();

  /** How many items are ready. */
  #readyCount = 0;
  /** Numbers whatever goes to the end of its class. */
  #nextOrder = 0;
  #isShutDown = false;

  constructor(options: WorkQueueOptions<Key>) {
    this.#clock = options.clock;
    this.#formatKey = options.formatKey;
    this.#groupOf = options.groupOf ?? (() => "");
    this.#rateLimiter = options.rateLimiter ?? presetLimiter("controllerRuntime");
    this.#holdsBackoff = options.holdBackoff ?? false;
    this.#observer = options.observer;
    this.#waiting = new DelayHeap(options.clock, (due, nowMs) => {
      // All of them first: a worker that waits must get the one of the highest priority.
      for (const item of due) this.#makeReady(item, nowMs);
      this.#handOut(nowMs);
    });
    this.#observer?.unfinishedWork(() => {
      const nowMs = this.#clock.monotonicNow();
      return { ...this.#processing.unfinished(nowMs), oldestReadyMs: this.#ages.oldestAgeMs(nowMs) };
    });
  }

  /** How many keys are ready to be dequeued, or will be when the worker that has them is done. */
  get length(): number {
    return this.#readyCount;
  }

  get isShutDown(): boolean {
    return this.#isShutDown;
  }

  /** Enqueues a key. Returns the delay after which the key is ready, were it not queued already. */
  add(key: Key, options: AddOptions = noOptions): number {
    const { priority = 0, rateLimited = false } = options;
    requireFinite("priority", priority);
    const isRetry = rateLimited && options.priority === undefined;
    return this.#add({ key, keyText: this.#formatKey(key) }, { priority, isRetry }, options);
  }

  /** Waits for a key to work on; throws the signal's reason as soon as it aborts. No key is lost by that. */
  async get(signal?: AbortSignal): Promise<DequeuedItem<Key> | "shutdown"> {
    signal?.throwIfAborted();
    if (this.#isShutDown) return "shutdown";
    const nowMs = this.#clock.monotonicNow();
    this.#waiting.releaseDue(nowMs);
    const item = this.#order.pop();
    return item === undefined ? this.#waiters.wait(signal) : this.#dequeue(item, nowMs);
  }

  /** Enqueues a dequeued key again after a delay, as a result of its run. */
  requeueAfter(item: ItemOf<Key>, priority: number, afterMs: number): void {
    this.#add(item, { priority, isRetry: false }, { trigger: requeueTrigger, afterMs });
  }

  /**
   * Enqueues a dequeued key again after the delay of its back-off, which is returned. It is a retry of the priority that it
   * had, unless the run requested a priority.
   */
  retry(item: DequeuedItem<Key>, isFailure: boolean, requestedPriority?: number): number {
    const rank = { priority: requestedPriority ?? item.priority, isRetry: requestedPriority === undefined };
    return this.#add(item, rank, { trigger: isFailure ? retryTrigger : requeueTrigger, rateLimited: true });
  }

  /** Enqueues a dequeued key again as if it had not been dequeued, for later. */
  putBack(item: DequeuedItem<Key>, afterMs: number): void {
    this.#add(item, item, { afterMs });
    const queued = this.#items.get(item.keyText);
    if (queued !== undefined) prependReasons(queued, item);
  }

  /** Ends the work on a key. Does nothing if no worker has it. */
  done({ keyText }: Pick<ItemOf<Key>, "keyText">): void {
    const nowMs = this.#clock.monotonicNow();
    const workedMs = this.#processing.end(keyText, nowMs);
    if (workedMs === undefined) return;
    this.#observer?.worked(workedMs);
    const item = this.#items.get(keyText);
    if (!item?.isReady) return;
    this.#putInOrder(item, nowMs);
    this.#handOut(nowMs);
  }

  /** Makes the rate limiter forget the failures of a key. A key that is queued stays queued. */
  forget({ keyText }: Pick<ItemOf<Key>, "keyText">): void {
    this.#rateLimiter.forget(keyText);
  }

  /** How many failures of a key the rate limiter remembers. */
  failuresOf({ keyText }: Pick<ItemOf<Key>, "keyText">): number {
    return this.#rateLimiter.numRequeues(keyText);
  }

  /** Drops what is queued, ignores adds from now on, and returns "shutdown" to every worker, now and later. */
  shutDown(): void {
    if (this.#isShutDown) return;
    this.#isShutDown = true;
    for (const item of this.#items.values()) {
      if (item.isReady) this.#observer?.depthChanged(item.priority, -1);
    }
    this.#readyCount = 0;
    this.#items.clear();
    this.#order.clear();
    this.#ages.clear();
    this.#waiting.clear();
    this.#waiters.giveAll("shutdown");
  }

  #add({ key, keyText }: ItemOf<Key>, rank: Rank, options: AddOptions): number {
    if (this.#isShutDown) return 0;
    const { afterMs = 0, rateLimited = false, trigger } = options;
    const nowMs = this.#clock.monotonicNow();
    this.#waiting.releaseDue(nowMs);
    const delayMs = rateLimited ? shorterDelay(limitedDelay(this.#rateLimiter, keyText), afterMs) : afterMs;
    const dueMs = delayMs > 0 ? nowMs + delayMs : atOnce;
    const heldUntilMs = rateLimited && this.#holdsBackoff ? dueMs : atOnce;
    if (delayMs > 0) this.#observer?.retried();

    // A requeue that was requested for later is no reason for a run that an event starts before; a retry is one.
    const isRequeue = trigger === requeueTrigger;
    const reason = isRequeue ? undefined : trigger;
    const queued = this.#items.get(keyText);
    const item = queued ?? newItem(key, keyText, { ...rank, group: this.#groupOf(key), trigger: reason });
    if (isRequeue) {
      item.requeue = trigger;
      item.requeueDueMs = dueMs;
    }
    if (queued === undefined) {
      item.heldUntilMs = heldUntilMs;
      this.#items.set(keyText, item);
      if (dueMs === atOnce) this.#makeReady(item, nowMs);
      else this.#waiting.add(item, dueMs);
    } else {
      queued.key = key;
      if (reason !== undefined) addReason(queued, reason);
      this.#raise(queued, rank);
      this.#reschedule(queued, dueMs, heldUntilMs, nowMs);
    }
    this.#handOut(nowMs);
    return delayMs;
  }

  /** Of two ranks the higher one counts; an item whose rank rises goes to the end of its new class. */
  #raise(item: WorkItem<Key>, rank: Rank): void {
    const priority = Math.max(item.priority, rank.priority);
    const isRetry = item.isRetry && rank.isRetry;
    if (priority === item.priority && isRetry === item.isRetry) return;
    const { isReady } = item;
    const isInOrder = isReady && !this.#processing.has(item.keyText);
    if (isInOrder) this.#order.remove(item);
    if (isReady) {
      this.#observer?.depthChanged(item.priority, -1);
      this.#observer?.depthChanged(priority, 1);
      item.order = this.#nextOrder++;
    }
    item.priority = priority;
    item.isRetry = isRetry;
    if (isInOrder) this.#order.push(item);
  }

  /** Of two delays, as of two back-offs, the one that ends earlier counts. */
  #reschedule(item: WorkItem<Key>, requestedMs: number, heldUntilMs: number, nowMs: number): void {
    if (heldUntilMs !== atOnce && (item.heldUntilMs === atOnce || heldUntilMs < item.heldUntilMs))
      item.heldUntilMs = heldUntilMs;
    const currentMs = item.isReady ? atOnce : item.dueMs;
    const dueMs = Math.max(Math.min(currentMs, requestedMs), item.heldUntilMs);
    if (dueMs === currentMs) return;
    if (dueMs === atOnce) {
      this.#waiting.remove(item);
      this.#makeReady(item, nowMs);
    } else if (item.isReady) {
      this.#makeUnready(item);
      this.#waiting.add(item, dueMs);
    } else {
      this.#waiting.move(item, dueMs);
    }
  }

  /** An item whose due time has passed was ready then, however late its timer is. */
  #makeReady(item: WorkItem<Key>, nowMs: number): void {
    if (item.dueMs === atOnce || item.dueMs > nowMs) item.dueMs = nowMs;
    item.isReady = true;
    item.heldUntilMs = atOnce;
    item.order = this.#nextOrder++;
    this.#readyCount++;
    this.#observer?.added();
    this.#observer?.depthChanged(item.priority, 1);
    if (!this.#processing.has(item.keyText)) this.#putInOrder(item, nowMs);
  }

  /** Undoes `#makeReady`; the caller makes the item wait. */
  #makeUnready(item: WorkItem<Key>): void {
    item.isReady = false;
    this.#readyCount--;
    this.#observer?.depthChanged(item.priority, -1);
    if (this.#processing.has(item.keyText)) return;
    this.#order.remove(item);
    this.#ages.leave(item.arrival);
  }

  #putInOrder(item: WorkItem<Key>, nowMs: number): void {
    this.#order.push(item);
    item.arrival = this.#ages.enter(nowMs);
  }

  #handOut(nowMs: number): void {
    while (this.#waiters.areWaiting) {
      const item = this.#order.pop();
      if (item === undefined) return;
      this.#waiters.give(this.#dequeue(item, nowMs));
    }
  }

  #dequeue(item: WorkItem<Key>, nowMs: number): DequeuedItem<Key> {
    addRequeue(item, nowMs);
    this.#ages.leave(item.arrival);
    this.#items.delete(item.keyText);
    this.#processing.start(item.keyText, nowMs);
    this.#readyCount--;
    this.#observer?.depthChanged(item.priority, -1);
    this.#observer?.waited(nowMs - item.dueMs);
    return item;
  }
}

/** The keys that workers have now, each at most once, and since when. */
class Processing {
  readonly #startedMs: Map<string, number> = new Map();

  has(keyText: string): boolean {
    return this.#startedMs.has(keyText);
  }

  start(keyText: string, nowMs: number): void {
    this.#startedMs.set(keyText, nowMs);
  }

  /** How long the work took; undefined if no worker had the key. */
  end(keyText: string, nowMs: number): number | undefined {
    const startedMs = this.#startedMs.get(keyText);
    if (startedMs === undefined) return undefined;
    this.#startedMs.delete(keyText);
    return nowMs - startedMs;
  }

  unfinished(nowMs: number): Omit<UnfinishedWork, "oldestReadyMs"> {
    let totalMs = 0;
    let longestMs = 0;
    for (const startedMs of this.#startedMs.values()) {
      const ageMs = nowMs - startedMs;
      totalMs += ageMs;
      if (ageMs > longestMs) longestMs = ageMs;
    }
    return { totalMs, longestMs };
  }
}
