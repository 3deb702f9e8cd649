import { type HeapNode, IndexedHeap, inNoHeap } from "./delay-heap.ts";

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

/** An entry that is ready to be dequeued. */
export interface Ranked<Self> extends OrderedNode<Self> {
  /** Higher goes first. Does not change while the entry is in the order. */
  priority: number;
  /** Groups take turns within a priority. */
  readonly group: string;
}

/** The entries of one group within one priority. Exists while there are any. */
interface Group<Entry extends Ranked<Entry>> extends HeapNode {
  readonly priority: number;
  readonly name: string;
  readonly entries: OrderedList<Entry>;
  /** Among the groups of a priority, the one that was served, or added, the longest time ago is next. */
  turn: number;
}

function isServedBefore<Entry extends Ranked<Entry>>(a: Group<Entry>, b: Group<Entry>): boolean {
  return a.priority === b.priority ? a.turn < b.turn : a.priority > b.priority;
}

/**
 * Entries by priority; within a priority the groups take turns, however many entries each has; within a group by
 * `order`. So a group waits for as many entries as there are other groups, not for all entries of these groups. With
 * all entries in one group it is first come, first served within a priority.
 */
export class ReadyOrder<Entry extends Ranked<Entry>> {
  /** The groups that have entries, by priority and name; the same ones are in `turns`. */
  readonly #groups: Map<number, Map<string, Group<Entry>>> = new Map();
  readonly #turns: IndexedHeap<Group<Entry>> = new IndexedHeap<Group<Entry>>(isServedBefore);
  #nextTurn = 0;

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  push(entry: Entry): void {
    const group = this.#groups.get(entry.priority)?.get(entry.group) ?? this.#addGroup(entry);
    group.entries.push(entry);
  }

  pop(): Entry | undefined {
    const group = this.#turns.first;
    const entry = group?.entries.pop();
    if (group === undefined || entry === undefined) return undefined;
    if (group.entries.isEmpty) {
      this.#dropGroup(group);
    } else {
      group.turn = this.#nextTurn++;
      this.#turns.moved(group);
    }
    return entry;
  }

  /** Removes an entry that is in this order. */
  remove(entry: Entry): void {
    const group = this.#groups.get(entry.priority)?.get(entry.group);
    if (group === undefined) return;
    group.entries.remove(entry);
    if (group.entries.isEmpty) this.#dropGroup(group);
  }

  clear(): void {
    this.#groups.clear();
    this.#turns.clear();
  }

  #addGroup({ priority, group: name }: Entry): Group<Entry> {
    const entries = new OrderedList<Entry>();
    const group: Group<Entry> = { priority, name, entries, turn: this.#nextTurn++, heapIndex: inNoHeap };
    let named = this.#groups.get(priority);
    if (named === undefined) {
      named = new Map();
      this.#groups.set(priority, named);
    }
    named.set(name, group);
    this.#turns.push(group);
    return group;
  }

  #dropGroup(group: Group<Entry>): void {
    const named = this.#groups.get(group.priority);
    named?.delete(group.name);
    if (named?.size === 0) this.#groups.delete(group.priority);
    this.#turns.remove(group);
  }
}

/** An entry that is ready to be dequeued, perhaps after a failure. */
export interface Retryable<Self> extends Ranked<Self> {
  /** Whether only a retry made it ready. Does not change while the entry is in the order. */
  isRetry: boolean;
}

/** After this many other entries in a row, a retry that is ready is next. */
export const mostBeforeRetry = 9;

/**
 * Retries after all other entries, whatever their priorities, so that keys that fail for good do not delay the others; but
 * at least every tenth entry is a retry while there are any, so that these are not starved.
 */
export class RetriesLast<Entry extends Retryable<Entry>> {
  readonly #others: ReadyOrder<Entry> = new ReadyOrder();
  readonly #retries: ReadyOrder<Entry> = new ReadyOrder();
  /** How many others went before the retries that are ready. */
  #beforeRetry = 0;

  push(entry: Entry): void {
    this.#orderOf(entry).push(entry);
  }

  pop(): Entry | undefined {
    if (this.#retries.isEmpty) return this.#others.pop();
    if (this.#others.isEmpty || this.#beforeRetry === mostBeforeRetry) {
      this.#beforeRetry = 0;
      return this.#retries.pop();
    }
    this.#beforeRetry++;
    return this.#others.pop();
  }

  /** Removes an entry that is in this order. */
  remove(entry: Entry): void {
    this.#orderOf(entry).remove(entry);
  }

  clear(): void {
    this.#others.clear();
    this.#retries.clear();
  }

  #orderOf({ isRetry }: Entry): ReadyOrder<Entry> {
    return isRetry ? this.#retries : this.#others;
  }
}
