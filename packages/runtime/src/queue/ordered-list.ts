import { type HeapNode, IndexedHeap, inNoHeap } from "./indexed-heap.ts";

/** An entry of an ordered list: it knows its neighbours, so that it can be removed from anywhere. */
export interface OrderedNode<Self> extends HeapNode {
  /** Lower goes first. Unique within a list; does not change while the node is in it. */
  order: number;
  /** Written by the list, as is `next`. */
  previous: Self | undefined;
  next: Self | undefined;
}

/**
 * Entries in the order of their numbers. Those that are added with the highest number yet, which is nearly all, are added,
 * popped and removed in O(1); the few that return to an earlier place cost O(log n) of their number.
 */
export class OrderedList<Entry extends OrderedNode<Entry>> {
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

  /** Removes an entry that is in this list. */
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
