import { abortable, type Clock } from "@keelson/core";
import { type Delayed, DelayHeap } from "./delay-heap.ts";
import { Fifo } from "./fifo.ts";
import { inNoHeap } from "./indexed-heap.ts";
import { Processing } from "./processing.ts";
import type { Queue, QueueOptions, Taken } from "./queue.ts";
import type { QueueObserver } from "./queue-observer.ts";
import { classicLimiter, limitedDelay, type RateLimiter } from "./rate-limiter.ts";
import { Takers } from "./takers.ts";

/** An item that must be processed, and since when. */
interface Dirty<Item> {
  item: Item;
  readonly sinceMs: number;
  /** When it was put into `queue`, in whole milliseconds: these take no memory of their own. */
  queuedMs: number;
}

/** An item that is to be added later. */
interface Pending<Item> extends Delayed {
  readonly key: string;
  item: Item;
}

/**
 * The classic work queue of client-go: first in, first out, without priorities. What differs from the priority queue:
 * an item that is added while it also waits for a delay runs now and again when the delay is over, and `shutDown`
 * lets the workers have what is queued.
 */
export class WorkQueue<Item> implements Queue<Item> {
  readonly #clock: Clock;
  readonly #keyOf: (item: Item) => string;
  readonly #rateLimiter: RateLimiter;
  readonly #observer: QueueObserver | undefined;

  /** The order of work. Its keys are those of `dirty` that are not in `processing`, each once. */
  readonly #queue: Fifo<string> = new Fifo();
  /** All that must be processed. What is also in `processing` is queued by `done`. */
  readonly #dirty: Map<string, Dirty<Item>> = new Map();
  /** All that workers have now. */
  readonly #processing: Processing = new Processing();
  /** Workers without work. Some wait only while `queue` is empty and the queue is not shutting down. */
  readonly #takers: Takers<Taken<Item> | "shutdown"> = new Takers();

  /** All that is to be added later, by key; the same entries are in `delays`. Independent of the above. */
  readonly #pending: Map<string, Pending<Item>> = new Map();
  readonly #delays: DelayHeap<Pending<Item>>;

  #isShuttingDown = false;
  /** There while somebody waits for the drain; resolved when nothing is queued or processed any more. */
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(options: QueueOptions<Item>) {
    this.#clock = options.clock;
    this.#keyOf = options.keyOf;
    this.#rateLimiter = options.rateLimiter ?? classicLimiter(options.clock);
    this.#observer = options.observer;
    this.#delays = new DelayHeap(options.clock, (due, nowMs) => {
      for (const { key, item } of due) {
        this.#pending.delete(key);
        this.#markDirty(key, item, nowMs);
      }
    });
    this.#observer?.unfinishedWork(() => {
      const nowMs = this.#clock.monotonicNow();
      return { ...this.#processing.unfinished(nowMs), oldestReadyMs: this.#oldestReadyMs(nowMs) };
    });
  }

  /** How many items wait for a worker. Those that are processed and dirty again, or wait for a delay, do not count. */
  get length(): number {
    return this.#queue.size;
  }

  get isShuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  add(item: Item): void {
    const nowMs = this.#clock.monotonicNow();
    this.#delays.releaseDue(nowMs);
    this.#markDirty(this.#keyOf(item), item, nowMs);
  }

  /** Of two delays for one item the one that ends earlier holds. */
  addAfter(item: Item, delayMs: number): void {
    if (this.#isShuttingDown) return;
    if (!(delayMs > 0)) {
      this.add(item);
      return;
    }
    this.#observer?.retried();
    const key = this.#keyOf(item);
    const dueMs = this.#clock.monotonicNow() + delayMs;
    const pending = this.#pending.get(key);
    if (pending === undefined) {
      const added: Pending<Item> = { key, item, dueMs, order: 0, heapIndex: inNoHeap };
      this.#pending.set(key, added);
      this.#delays.add(added, dueMs);
      return;
    }
    pending.item = item;
    if (dueMs < pending.dueMs) this.#delays.move(pending, dueMs);
  }

  addRateLimited(item: Item): void {
    this.addAfter(item, limitedDelay(this.#rateLimiter, this.#keyOf(item)));
  }

  async get(signal?: AbortSignal): Promise<Taken<Item> | "shutdown"> {
    signal?.throwIfAborted();
    this.#delays.releaseDue(this.#clock.monotonicNow());
    const taken = this.#take();
    if (taken !== undefined) return taken;
    return this.#isShuttingDown ? "shutdown" : this.#takers.wait(signal);
  }

  done(item: Item): void {
    const key = this.#keyOf(item);
    const nowMs = this.#clock.monotonicNow();
    const workedMs = this.#processing.end(key, nowMs);
    if (workedMs === undefined) return;
    this.#observer?.worked(workedMs);
    const dirty = this.#dirty.get(key);
    if (dirty !== undefined) this.#enqueue(key, dirty, nowMs);
    this.#settleIfDrained();
  }

  forget(item: Item): void {
    this.#rateLimiter.forget(this.#keyOf(item));
  }

  numRequeues(item: Item): number {
    return this.#rateLimiter.numRequeues(this.#keyOf(item));
  }

  /** Ignores adds from now on, also those that wait for a delay. Workers get what is queued, and then "shutdown". */
  shutDown(): void {
    this.#beginShutDown();
    this.#drained?.resolve();
    this.#drained = undefined;
  }

  /**
   * Shuts down and waits until all that was queued has been processed; throws the signal's reason as soon as it
   * aborts. A call of `shutDown` ends the wait early. Without workers that take what is left, it has no other end.
   */
  async shutDownWithDrain(signal?: AbortSignal): Promise<void> {
    this.#beginShutDown();
    this.#drained ??= Promise.withResolvers();
    const { promise } = this.#drained;
    this.#settleIfDrained();
    await abortable(promise, signal);
  }

  #markDirty(key: string, item: Item, nowMs: number): void {
    if (this.#isShuttingDown) return;
    const dirty = this.#dirty.get(key);
    if (dirty !== undefined) {
      dirty.item = item;
      return;
    }
    const added: Dirty<Item> = { item, sinceMs: nowMs, queuedMs: 0 };
    this.#dirty.set(key, added);
    this.#observer?.added();
    this.#observer?.depthChanged(undefined, 1);
    if (!this.#processing.has(key)) this.#enqueue(key, added, nowMs);
  }

  #enqueue(key: string, dirty: Dirty<Item>, nowMs: number): void {
    dirty.queuedMs = Math.floor(nowMs);
    this.#queue.push(key);
    if (!this.#takers.areWaiting) return;
    const taken = this.#take();
    if (taken !== undefined) this.#takers.give(taken);
  }

  #take(): Taken<Item> | undefined {
    const key = this.#queue.shift();
    const dirty = key === undefined ? undefined : this.#dirty.get(key);
    if (key === undefined || dirty === undefined) return undefined;
    const nowMs = this.#clock.monotonicNow();
    this.#dirty.delete(key);
    this.#processing.start(key, nowMs);
    this.#observer?.depthChanged(undefined, -1);
    this.#observer?.waited(nowMs - dirty.sinceMs);
    return { item: dirty.item, priority: 0 };
  }

  #oldestReadyMs(nowMs: number): number {
    const key = this.#queue.first;
    const dirty = key === undefined ? undefined : this.#dirty.get(key);
    return dirty === undefined ? 0 : Math.floor(nowMs) - dirty.queuedMs;
  }

  #beginShutDown(): void {
    this.#isShuttingDown = true;
    this.#pending.clear();
    this.#delays.clear();
    this.#takers.giveAll("shutdown");
  }

  #settleIfDrained(): void {
    if (this.#queue.size === 0 && this.#processing.size === 0) this.#drained?.resolve();
  }
}
