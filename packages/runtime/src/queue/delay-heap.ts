import type { CancelTimer, Clock } from "@keelson/core";
import { type HeapNode, IndexedHeap } from "./indexed-heap.ts";

/** An entry that waits for its due time. */
export interface Delayed extends HeapNode {
  /** On the clock's monotonic scale. Written by the heap while the entry is in it. */
  dueMs: number;
  /** Among entries of one due time, which came first. Written by the heap when the entry is added. */
  order: number;
}

/** A timer may be lost, an entry must not be: the heap checks this often, whatever the timers do. */
const heartbeatMs = 10_000;

function isDueBefore(a: Delayed, b: Delayed): boolean {
  return a.dueMs === b.dueMs ? a.order < b.order : a.dueMs < b.dueMs;
}

const never = Number.POSITIVE_INFINITY;

/**
 * Entries that wait for their due times, in a min-heap with two timers, however many entries there are.
 *
 * Promises: an entry leaves once, at its due time or, if the timer for it was lost, at most 10 s later; entries leave
 * in the order of their due times; while nothing waits, no timer is set.
 */
export class DelayHeap<Entry extends Delayed> {
  readonly #clock: Clock;
  readonly #onDue: (entries: readonly Entry[], nowMs: number) => void;
  readonly #heap: IndexedHeap<Entry> = new IndexedHeap<Entry>(isDueBefore);
  #nextOrder = 0;

  /** When the alarm goes off; `never` if none is set. Not later than the first due time. */
  #alarmMs = never;
  #cancelAlarm: CancelTimer | undefined;
  /** Set while, and only while, something waits. */
  #cancelHeartbeat: CancelTimer | undefined;

  /** `onDue` gets all entries that leave together, after they have left, so that it can order them. */
  constructor(clock: Clock, onDue: (entries: readonly Entry[], nowMs: number) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#heap.size;
  }

  add(entry: Entry, dueMs: number): void {
    entry.dueMs = dueMs;
    entry.order = this.#nextOrder++;
    this.#heap.push(entry);
    this.#setTimers();
  }

  /** Gives an entry that waits here another due time. */
  move(entry: Entry, dueMs: number): void {
    entry.dueMs = dueMs;
    this.#heap.moved(entry);
    this.#setTimers();
  }

  /** Removes an entry that waits here; `onDue` does not get it. */
  remove(entry: Entry): void {
    this.#heap.remove(entry);
    this.#setTimers();
  }

  /**
   * Releases all entries that are due. The timers do this; a caller that has read the clock does it too, so that the order
   * of events is right even when a busy event loop makes the timers late.
   */
  releaseDue(nowMs: number): void {
    let first = this.#heap.first;
    if (first === undefined || first.dueMs > nowMs) return;
    const due: Entry[] = [];
    while (first !== undefined && first.dueMs <= nowMs) {
      this.#heap.remove(first);
      due.push(first);
      first = this.#heap.first;
    }
    this.#setTimers();
    this.#onDue(due, nowMs);
  }

  clear(): void {
    this.#heap.clear();
    this.#setTimers();
  }

  /** An alarm that comes too early (its entry has left) is left alone: it finds nothing and sets the next. */
  #setTimers(): void {
    const first = this.#heap.first;
    if (first === undefined) {
      this.#clearAlarm();
      this.#cancelHeartbeat?.();
      this.#cancelHeartbeat = undefined;
      return;
    }
    if (first.dueMs < this.#alarmMs) {
      this.#clearAlarm();
      this.#alarmMs = first.dueMs;
      const delayMs = Math.max(0, first.dueMs - this.#clock.monotonicNow());
      this.#cancelAlarm = this.#clock.schedule(delayMs, this.#wake);
    }
    this.#cancelHeartbeat ??= this.#clock.schedule(heartbeatMs, this.#beat);
  }

  #clearAlarm(): void {
    this.#cancelAlarm?.();
    this.#cancelAlarm = undefined;
    this.#alarmMs = never;
  }

  readonly #beat = (): void => {
    this.#cancelHeartbeat = undefined;
    this.#wake();
  };

  readonly #wake = (): void => {
    this.#clearAlarm();
    this.releaseDue(this.#clock.monotonicNow());
    this.#setTimers();
  };
}
