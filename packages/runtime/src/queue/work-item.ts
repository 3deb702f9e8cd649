import type { ObjectKey } from "@keelson/core";
import { type Delayed, inNoHeap } from "./delay-heap.ts";
import type { Retryable } from "./ready-order.ts";

/** Why a key was enqueued. Reconcilers must not act on it (law 3); it is for people who investigate why a run started. */
export interface Trigger {
  /** What enqueued the key, such as `owns deployments.apps`; `requeue` and `retry` if the last run did. */
  readonly source: string;
  readonly type: "create" | "update" | "delete" | "generic" | "requeue" | "retry";
  /** The object that changed, which need not be the one that is reconciled. */
  readonly object?: ObjectKey & { readonly kind: string; readonly resourceVersion?: string };
  /** The object existed when the controller started. */
  readonly isInitial?: boolean;
  /** The fields that an update changed, such as `spec.replicas`; computed when it is called. */
  readonly changedPaths?: () => readonly string[];
}

/** A key that was dequeued. Its worker calls `done` with it when the work is over, whether that succeeded or not. */
export interface DequeuedItem<Key> {
  readonly key: Key;
  /** The key as text, by which the queue distinguishes keys. */
  readonly keyText: string;
  /** The highest priority it was added with. */
  readonly priority: number;
  /** Whether only a retry enqueued it: such keys are dequeued after the others [PQ12]. */
  readonly isRetry: boolean;
  /** The first 16 reasons for which the key was enqueued. */
  readonly reasons: readonly Trigger[];
  /** The number of all reasons. */
  readonly reasonCount: number;
  /** When it became ready; the rest of its wait was for a worker. On the clock's monotonic scale. */
  readonly dueMs: number;
}

/** This many reasons of a key are kept; all are counted. */
const mostReasons = 16;

/** Shared by all items without a reason, and never changed. */
const noReasons: Trigger[] = [];

/** The due time of an add without a delay, which is earlier than all others. */
export const atOnce = 0;

/** A key in the work queue: it waits for its due time, or it is ready. */
export interface WorkItem<Key> extends Delayed, Retryable<WorkItem<Key>>, DequeuedItem<Key> {
  key: Key;
  priority: number;
  isRetry: boolean;
  reasons: Trigger[];
  reasonCount: number;
  /** Whether it may be dequeued as soon as no worker has its key. */
  isReady: boolean;
  /** When the back-off ends that holds the key; `atOnce` if none does. */
  heldUntilMs: number;
  /** The earliest time that any add requested, but not before `heldUntilMs`; when it became ready, if it is. */
  dueMs: number;
  /** The last run requested it: a reason only if the key is dequeued at the requested time or later. */
  requeue: Trigger | undefined;
  requeueDueMs: number;
  /** When it entered the ready order; undefined if it has never been in it. */
  arrival: Arrival | undefined;
}

export interface NewItemOptions {
  readonly group?: string;
  readonly priority?: number;
  readonly isRetry?: boolean;
  readonly trigger?: Trigger | undefined;
}

/** An item that is in no list yet. */
export function newItem<Key>(
  key: Key,
  keyText: string,
  { group = "", priority = 0, isRetry = false, trigger }: NewItemOptions,
): WorkItem<Key> {
  return {
    key,
    keyText,
    group,
    priority,
    isRetry,
    reasons: trigger === undefined ? noReasons : [trigger],
    reasonCount: trigger === undefined ? 0 : 1,
    isReady: false,
    heldUntilMs: atOnce,
    dueMs: atOnce,
    order: 0,
    previous: undefined,
    next: undefined,
    requeue: undefined,
    requeueDueMs: atOnce,
    arrival: undefined,
    heapIndex: inNoHeap,
  };
}

/** Adds one more reason. */
export function addReason(item: WorkItem<unknown>, trigger: Trigger): void {
  item.reasonCount++;
  if (item.reasons === noReasons) item.reasons = [trigger];
  else if (item.reasons.length < mostReasons) item.reasons.push(trigger);
}

/** Makes the request of the last run the first reason, if its time has come: an event may have enqueued the key earlier. */
export function addRequeue(item: WorkItem<unknown>, nowMs: number): void {
  const { requeue, requeueDueMs } = item;
  if (requeue === undefined || requeueDueMs > nowMs) return;
  item.reasons = [requeue, ...item.reasons].slice(0, mostReasons);
  item.reasonCount++;
}

/** Adds the reasons of an earlier item of the same key, before the item's own. */
export function prependReasons(item: WorkItem<unknown>, earlier: DequeuedItem<unknown>): void {
  item.reasons = [...earlier.reasons, ...item.reasons].slice(0, mostReasons);
  item.reasonCount += earlier.reasonCount;
}

/** The approximate time at which some items entered, and how many of them have not left. */
export interface Arrival {
  readonly atMs: number;
  count: number;
  next: Arrival | undefined;
}

/** Items that enter within this time count as entering together. */
const resolutionMs = 1_000;

/**
 * Knows the age of the oldest of many items, to the second, whichever of them leave. It counts the items by the time when
 * they entered, instead of keeping them in order: entering and leaving cost next to nothing, reading amortised O(1).
 */
export class OldestAgeTracker {
  /** A list of rising times from `first` to `last`. Counts of 0 are dropped when they become the first. */
  #first: Arrival | undefined;
  #last: Arrival | undefined;

  /** An item enters; it leaves with the result of this call. Times do not fall from one call to the next. */
  enter(nowMs: number): Arrival {
    const last = this.#last;
    const arrival =
      last !== undefined && nowMs - last.atMs < resolutionMs ? last : this.#append(Math.floor(nowMs));
    arrival.count += 1;
    return arrival;
  }

  /** Does nothing for undefined. */
  leave(arrival: Arrival | undefined): void {
    if (arrival !== undefined) arrival.count -= 1;
  }

  clear(): void {
    this.#first = undefined;
    this.#last = undefined;
  }

  /** 0 without items; otherwise at most a second more than the true age. */
  oldestAgeMs(nowMs: number): number {
    this.#dropEmpty();
    return this.#first === undefined ? 0 : Math.floor(nowMs) - this.#first.atMs;
  }

  #append(atMs: number): Arrival {
    this.#dropEmpty();
    const arrival: Arrival = { atMs, count: 0, next: undefined };
    if (this.#last === undefined) this.#first = arrival;
    else this.#last.next = arrival;
    this.#last = arrival;
    return arrival;
  }

  #dropEmpty(): void {
    while (this.#first?.count === 0) this.#first = this.#first.next;
    if (this.#first === undefined) this.#last = undefined;
  }
}
