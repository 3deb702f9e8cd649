import { type HeapNode, IndexedHeap, inNoHeap } from "./indexed-heap.ts";

/** What stands in a lane: it knows its neighbours, so that it can leave from anywhere. */
export interface LaneNode<Self> extends HeapNode {
  /** Lower goes first. Unique within a lane; does not change while the node is in it. */
  order: number;
  /** Written by the lane, as is `next`. */
  previous: Self | undefined;
  next: Self | undefined;
}

/**
 * Entries in the order of their numbers. Those that come with the highest number yet, which is nearly all, are added,
 * taken and removed in O(1); the few that come back to an earlier place cost O(log n) of their kind.
 */
export class Lane<Entry extends LaneNode<Entry>> {
  /** A list from `first` to `last`, linked both ways, of rising order. */
  #first: Entry | undefined;
  #last: Entry | undefined;
  /** Those that came with a lower number than that of `last`. They are the ones that have a heap index. */
  readonly #late: IndexedHeap<Entry> = new IndexedHeap<Entry>((a, b) => a.order < b.order);

  get isEmpty(): boolean {
    return this.#first === undefined && this.#late.size === 0;
  }

  push(entry: Entry): void {
    const last = this.#last;
    if (last === undefined) {
      this.#first = entry;
    } else if (entry.order < last.order) {
      this.#late.push(entry);
      return;
    } else {
      last.next = entry;
      entry.previous = last;
    }
    this.#last = entry;
  }

  pop(): Entry | undefined {
    const first = this.#first;
    const late = this.#late.first;
    const entry = first === undefined || (late !== undefined && late.order < first.order) ? late : first;
    if (entry !== undefined) this.remove(entry);
    return entry;
  }

  /** Takes out an entry that is in this lane. */
  remove(entry: Entry): void {
    if (entry.heapIndex !== inNoHeap) {
      this.#late.remove(entry);
      return;
    }
    const { previous, next } = entry;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    entry.previous = undefined;
    entry.next = undefined;
  }
}
