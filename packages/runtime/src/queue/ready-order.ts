import { type HeapNode, IndexedHeap, inNoHeap } from "./indexed-heap.ts";
import { OrderedList, type OrderedNode } from "./ordered-list.ts";

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
