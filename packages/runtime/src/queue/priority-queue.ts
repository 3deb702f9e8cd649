import type { Clock } from "@keelson/core";
import { type Arrival, Arrivals } from "./arrivals.ts";
import { type Delayed, DelayHeap } from "./delay-heap.ts";
import { inNoHeap } from "./indexed-heap.ts";
import { Processing } from "./processing.ts";
import type { Queue, QueueOptions, Taken } from "./queue.ts";
import { requireFinite } from "./queue-number.ts";
import type { QueueObserver } from "./queue-observer.ts";
import { limitedDelay, presetLimiter, type RateLimiter, shorterDelay } from "./rate-limiter.ts";
import { type Ranked, ReadyOrder } from "./ready-order.ts";
import { Takers } from "./takers.ts";

/** How items are added. */
export interface AddOptions {
  /** Default: no delay. */
  readonly afterMs?: number;
  /** Delays each item as the rate limiter asks for it, or by `afterMs` if that is given and shorter. Default: no. */
  readonly rateLimited?: boolean;
  /** Higher goes first. Default: 0. */
  readonly priority?: number;
}

export interface PriorityQueueOptions<Item> extends QueueOptions<Item> {
  /** Fairness: within a priority, the groups (say, namespaces) take turns. Default: first come, first served. */
  readonly groupOf?: (item: Item) => string;
  /**
   * Whether a back-off holds against everything else: an item that was added rate-limited is not handed out before
   * that delay is over, even if it is added without a delay before, during or after the failure that asked for it.
   * Default: no, an add without delay makes the item ready at once, as in Go.
   */
  readonly holdBackoff?: boolean;
}

/** The due time of what is ready. */
const atOnce = 0;

/** A key that is queued: it waits for its time, or it is ready. */
interface Entry<Item> extends Delayed, Ranked<Entry<Item>> {
  readonly key: string;
  item: Item;
  /** The highest it was added with. */
  priority: number;
  /** When the back-off ends that holds it; `atOnce` if none does. */
  heldUntilMs: number;
  /** `atOnce` if ready. Otherwise the earliest time that any add asked for, but not before `heldUntilMs`. */
  dueMs: number;
  /** Since when it is ready. */
  readySinceMs: number;
  /** How it came into `order`; undefined if it has never been in it. */
  arrival: Arrival | undefined;
}

/**
 * The default queue, as in controller-runtime: items with a higher priority go first, those of one priority in the
 * order in which they became ready. An item is queued at most once: adding it again keeps the higher priority and the
 * earlier time, so an add without a delay ends the item's wait. `shutDown` drops what is queued.
 */
export class PriorityQueue<Item> implements Queue<Item> {
  readonly #clock: Clock;
  readonly #keyOf: (item: Item) => string;
  readonly #groupOf: (item: Item) => string;
  readonly #rateLimiter: RateLimiter;
  readonly #holdsBackoff: boolean;
  readonly #observer: QueueObserver | undefined;

  /** All that is queued. Each entry is in `waiting`, or ready and in `order`, or ready and its key in `processing`. */
  readonly #entries: Map<string, Entry<Item>> = new Map();
  readonly #waiting: DelayHeap<Entry<Item>>;
  /** What may be handed out: the ready entries whose keys no worker has. */
  readonly #order: ReadyOrder<Entry<Item>> = new ReadyOrder();
  /** When the entries of `order` came into it. */
  readonly #arrivals = new Arrivals();
  readonly #processing: Processing = new Processing();
  /** Workers without work. Some wait only while `order` is empty and the queue is not shut down. */
  readonly #takers: Takers<Taken<Item> | "shutdown"> = new Takers();

  /** How many entries are ready. */
  #readyCount = 0;
  /** Counts whatever goes to the end of its class. */
  #nextOrder = 0;
  #isShutDown = false;

  constructor(options: PriorityQueueOptions<Item>) {
    this.#clock = options.clock;
    this.#keyOf = options.keyOf;
    this.#groupOf = options.groupOf ?? (() => "");
    this.#rateLimiter = options.rateLimiter ?? presetLimiter("controllerRuntime");
    this.#holdsBackoff = options.holdBackoff ?? false;
    this.#observer = options.observer;
    this.#waiting = new DelayHeap(options.clock, (due, nowMs) => {
      // All of them first: a worker that waits is to get the one with the highest priority.
      for (const entry of due) this.#makeReady(entry, nowMs);
      this.#handOut(nowMs);
    });
    this.#observer?.unfinishedWork(() => {
      const nowMs = this.#clock.monotonicNow();
      return { ...this.#processing.unfinished(nowMs), oldestReadyMs: this.#arrivals.oldestAgeMs(nowMs) };
    });
  }

  get length(): number {
    return this.#readyCount;
  }

  get isShuttingDown(): boolean {
    return this.#isShutDown;
  }

  add(item: Item): void {
    this.#add(item, 0, false, 0);
  }

  addAfter(item: Item, delayMs: number): void {
    this.#add(item, delayMs, false, 0);
  }

  addRateLimited(item: Item): void {
    this.#add(item, 0, true, 0);
  }

  addWithOptions(items: Iterable<Item>, options: AddOptions = {}): void {
    const { afterMs = 0, rateLimited = false, priority = 0 } = options;
    requireFinite("priority", priority);
    for (const item of items) this.#add(item, afterMs, rateLimited, priority);
  }

  async get(signal?: AbortSignal): Promise<Taken<Item> | "shutdown"> {
    signal?.throwIfAborted();
    if (this.#isShutDown) return "shutdown";
    const nowMs = this.#clock.monotonicNow();
    this.#waiting.releaseDue(nowMs);
    const entry = this.#order.pop();
    return entry === undefined ? this.#takers.wait(signal) : this.#take(entry, nowMs);
  }

  done(item: Item): void {
    const key = this.#keyOf(item);
    const nowMs = this.#clock.monotonicNow();
    const workedMs = this.#processing.end(key, nowMs);
    if (workedMs === undefined) return;
    this.#observer?.worked(workedMs);
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.dueMs !== atOnce) return;
    this.#putInOrder(entry, nowMs);
    this.#handOut(nowMs);
  }

  forget(item: Item): void {
    this.#rateLimiter.forget(this.#keyOf(item));
  }

  numRequeues(item: Item): number {
    return this.#rateLimiter.numRequeues(this.#keyOf(item));
  }

  /** Drops what is queued, ignores adds from now on, and tells every worker, waiting or yet to come, "shutdown". */
  shutDown(): void {
    if (this.#isShutDown) return;
    this.#isShutDown = true;
    for (const entry of this.#entries.values()) {
      if (entry.dueMs === atOnce) this.#observer?.depthChanged(entry.priority, -1);
    }
    this.#readyCount = 0;
    this.#entries.clear();
    this.#order.clear();
    this.#arrivals.clear();
    this.#waiting.clear();
    this.#takers.giveAll("shutdown");
  }

  #add(item: Item, afterMs: number, rateLimited: boolean, priority: number): void {
    if (this.#isShutDown) return;
    const nowMs = this.#clock.monotonicNow();
    this.#waiting.releaseDue(nowMs);
    const key = this.#keyOf(item);
    const delayMs = rateLimited ? shorterDelay(limitedDelay(this.#rateLimiter, key), afterMs) : afterMs;
    const askedMs = delayMs > 0 ? nowMs + delayMs : atOnce;
    const heldUntilMs = rateLimited && this.#holdsBackoff ? askedMs : atOnce;
    if (delayMs > 0) this.#observer?.retried();

    const entry = this.#entries.get(key);
    if (entry === undefined) this.#insert(key, item, priority, askedMs, heldUntilMs, nowMs);
    else this.#merge(entry, item, priority, askedMs, heldUntilMs, nowMs);
    this.#handOut(nowMs);
  }

  #insert(
    key: string,
    item: Item,
    priority: number,
    askedMs: number,
    heldUntilMs: number,
    nowMs: number,
  ): void {
    const entry: Entry<Item> = {
      key,
      item,
      group: this.#groupOf(item),
      priority,
      heldUntilMs,
      dueMs: askedMs,
      readySinceMs: nowMs,
      order: 0,
      previous: undefined,
      next: undefined,
      arrival: undefined,
      heapIndex: inNoHeap,
    };
    this.#entries.set(key, entry);
    if (askedMs === atOnce) this.#makeReady(entry, nowMs);
    else this.#waiting.add(entry, askedMs);
  }

  #merge(
    entry: Entry<Item>,
    item: Item,
    priority: number,
    askedMs: number,
    heldUntilMs: number,
    nowMs: number,
  ): void {
    entry.item = item;
    if (priority > entry.priority) this.#raisePriority(entry, priority);
    // Of two back-offs, as of two delays, the one that ends earlier counts.
    if (heldUntilMs !== atOnce && (entry.heldUntilMs === atOnce || heldUntilMs < entry.heldUntilMs)) {
      entry.heldUntilMs = heldUntilMs;
    }
    this.#reschedule(entry, Math.max(Math.min(entry.dueMs, askedMs), entry.heldUntilMs), nowMs);
  }

  /** Raising a priority puts the entry at the end of the higher class. */
  #raisePriority(entry: Entry<Item>, priority: number): void {
    const isReady = entry.dueMs === atOnce;
    const isInOrder = isReady && !this.#processing.has(entry.key);
    if (isInOrder) this.#order.remove(entry);
    if (isReady) {
      this.#observer?.depthChanged(entry.priority, -1);
      this.#observer?.depthChanged(priority, 1);
      entry.order = this.#nextOrder++;
    }
    entry.priority = priority;
    if (isInOrder) this.#order.push(entry);
  }

  #reschedule(entry: Entry<Item>, dueMs: number, nowMs: number): void {
    if (dueMs === entry.dueMs) return;
    if (dueMs === atOnce) {
      this.#waiting.remove(entry);
      this.#makeReady(entry, nowMs);
    } else if (entry.dueMs === atOnce) {
      this.#makeUnready(entry);
      this.#waiting.add(entry, dueMs);
    } else {
      this.#waiting.move(entry, dueMs);
    }
  }

  #makeReady(entry: Entry<Item>, nowMs: number): void {
    entry.dueMs = atOnce;
    entry.heldUntilMs = atOnce;
    entry.readySinceMs = nowMs;
    entry.order = this.#nextOrder++;
    this.#readyCount++;
    this.#observer?.added();
    this.#observer?.depthChanged(entry.priority, 1);
    if (!this.#processing.has(entry.key)) this.#putInOrder(entry, nowMs);
  }

  /** Takes back that the entry is ready; the caller makes it wait. */
  #makeUnready(entry: Entry<Item>): void {
    this.#readyCount--;
    this.#observer?.depthChanged(entry.priority, -1);
    if (this.#processing.has(entry.key)) return;
    this.#order.remove(entry);
    this.#arrivals.leave(entry.arrival);
  }

  #putInOrder(entry: Entry<Item>, nowMs: number): void {
    this.#order.push(entry);
    entry.arrival = this.#arrivals.enter(nowMs);
  }

  #handOut(nowMs: number): void {
    while (this.#takers.areWaiting) {
      const entry = this.#order.pop();
      if (entry === undefined) return;
      this.#takers.give(this.#take(entry, nowMs));
    }
  }

  #take(entry: Entry<Item>, nowMs: number): Taken<Item> {
    this.#arrivals.leave(entry.arrival);
    this.#entries.delete(entry.key);
    this.#processing.start(entry.key, nowMs);
    this.#readyCount--;
    this.#observer?.depthChanged(entry.priority, -1);
    this.#observer?.waited(nowMs - entry.readySinceMs);
    return { item: entry.item, priority: entry.priority };
  }
}
