import type { ObjectKey } from "@keelson/core";
import type { Delayed } from "./delay-heap.ts";
import { inNoHeap } from "./indexed-heap.ts";
import type { Arrival } from "./oldest-age-tracker.ts";
import type { Ranked } from "./ready-order.ts";

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
export interface WorkItem<Key> extends Delayed, Ranked<WorkItem<Key>>, DequeuedItem<Key> {
  key: Key;
  priority: number;
  reasons: Trigger[];
  reasonCount: number;
  /** Whether it may be dequeued as soon as no worker has its key. */
  isReady: boolean;
  /** When the back-off ends that holds the key; `atOnce` if none does. */
  heldUntilMs: number;
  /** The earliest time that any add requested, but not before `heldUntilMs`; when it became ready, if it is. */
  dueMs: number;
  /** When it entered the ready order; undefined if it has never been in it. */
  arrival: Arrival | undefined;
}

/** An item that is in no list yet. */
export function newItem<Key>(
  key: Key,
  keyText: string,
  { group = "", priority = 0, trigger }: { group?: string; priority?: number; trigger?: Trigger | undefined },
): WorkItem<Key> {
  return {
    key,
    keyText,
    group,
    priority,
    reasons: trigger === undefined ? noReasons : [trigger],
    reasonCount: trigger === undefined ? 0 : 1,
    isReady: false,
    heldUntilMs: atOnce,
    dueMs: atOnce,
    order: 0,
    previous: undefined,
    next: undefined,
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

/** Adds the reasons of an earlier item of the same key, before the item's own. */
export function prependReasons(item: WorkItem<unknown>, earlier: DequeuedItem<unknown>): void {
  item.reasons = [...earlier.reasons, ...item.reasons].slice(0, mostReasons);
  item.reasonCount += earlier.reasonCount;
}
