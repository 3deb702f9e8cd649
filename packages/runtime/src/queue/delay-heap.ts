import type { CancelTimer, Clock } from "@keelson/core";

/** A node of a heap. It records its own index, so that it is found again without a search. */
export interface HeapNode {
  /** Written only by the heap that holds the node. A node is in at most one heap at a time. */
  heapIndex: number;
}

/** A node that is in no heap. */
export const inNoHeap = -1;

/**
 * A binary heap: the first node is the one that no other comes before. Adding, taking and removing any node cost
 * O(log n); adding nodes that are already in order costs O(1).
 */
export class IndexedHeap<Node extends HeapNode> {
  /**
   * `nodes[i].heapIndex === i`, and no node comes before its parent, which is at `(i - 1) >> 1`.
   * What a node's order depends on may change only while the node is outside, or before `moved`.
   */
  readonly #nodes: Node[] = [];
  readonly #comesBefore: (a: Node, b: Node) => boolean;

  constructor(comesBefore: (a: Node, b: Node) => boolean) {
    this.#comesBefore = comesBefore;
  }

  get size(): number {
    return this.#nodes.length;
  }

  get first(): Node | undefined {
    return this.#nodes[0];
  }

  push(node: Node): void {
    this.#nodes.push(node);
    this.#siftUp(node, this.#nodes.length - 1);
  }

  pop(): Node | undefined {
    const first = this.#nodes[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** Removes a node that is in this heap. */
  remove(node: Node): void {
    const index = node.heapIndex;
    node.heapIndex = inNoHeap;
    const last = this.#nodes.pop();
    if (last === undefined || last === node) return;
    this.#settle(last, index);
  }

  /** Moves a node whose order has changed to its new position. */
  moved(node: Node): void {
    this.#settle(node, node.heapIndex);
  }

  clear(): void {
    for (const node of this.#nodes) node.heapIndex = inNoHeap;
    this.#nodes.length = 0;
  }

  #settle(node: Node, index: number): void {
    this.#siftDown(node, index);
    if (node.heapIndex === index) this.#siftUp(node, index);
  }

  #siftUp(node: Node, from: number): void {
    const nodes = this.#nodes;
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = nodes[parentIndex];
      if (parent === undefined || !this.#comesBefore(node, parent)) break;
      nodes[index] = parent;
      parent.heapIndex = index;
      index = parentIndex;
    }
    nodes[index] = node;
    node.heapIndex = index;
  }

  #siftDown(node: Node, from: number): void {
    const nodes = this.#nodes;
    let index = from;
    for (;;) {
      let childIndex = 2 * index + 1;
      let child = nodes[childIndex];
      if (child === undefined) break;
      const right = nodes[childIndex + 1];
      if (right !== undefined && this.#comesBefore(right, child)) {
        child = right;
        childIndex++;
      }
      if (!this.#comesBefore(child, node)) break;
      nodes[index] = child;
      child.heapIndex = index;
      index = childIndex;
    }
    nodes[index] = node;
    node.heapIndex = index;
  }
}

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

  /** Changes the due time of an entry that waits here. */
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
