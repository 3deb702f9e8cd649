import { describe, expect, it } from "vitest";
import { inNoHeap } from "./delay-heap.ts";
import { type Ranked, ReadyOrder } from "./ready-order.ts";

interface Entry extends Ranked<Entry> {}

/** `makeEntries("a1 b1")`: an entry of group a and one of group b, both of priority 1, in this order. */
function makeEntries(text: string): Entry[] {
  return text.split(" ").map((word, order) => ({
    group: word.slice(0, 1),
    priority: Number(word.slice(1)),
    order,
    previous: undefined,
    next: undefined,
    heapIndex: inNoHeap,
  }));
}

function makeOrder(entries: readonly Entry[]): ReadyOrder<Entry> {
  const order = new ReadyOrder<Entry>();
  for (const entry of entries) order.push(entry);
  return order;
}

function popAll(order: ReadyOrder<Entry>): string {
  const words: string[] = [];
  for (let entry = order.pop(); entry !== undefined; entry = order.pop())
    words.push(`${entry.group}${entry.priority}#${entry.order}`);
  return words.join(" ");
}

describe("the order of what is ready", () => {
  it("serves higher priorities first, and one group first come, first served", () => {
    expect(popAll(makeOrder(makeEntries("a0 a5 a0 a-3 a5")))).toBe("a5#1 a5#4 a0#0 a0#2 a-3#3");
  });

  it("lets the groups of a priority take turns", () => {
    expect(popAll(makeOrder(makeEntries("a0 a0 a0 a0 b0 b0 c0")))).toBe("a0#0 b0#4 c0#6 a0#1 b0#5 a0#2 a0#3");
  });

  it("puts a group that is added late, or again, behind the other groups", () => {
    const entries = makeEntries("a0 a0 b0 b0 a0");
    const order = makeOrder(entries.slice(0, 2));
    expect([order.pop(), order.pop()]).toEqual(entries.slice(0, 2));
    for (const entry of entries.slice(2)) order.push(entry);
    expect(popAll(order)).toBe("b0#2 a0#4 b0#3");
  });

  it("forgets a group whose last entry is removed", () => {
    const entries = makeEntries("a0 b0");
    const order = makeOrder(entries);
    const [first] = entries;
    if (first !== undefined) order.remove(first);
    expect(popAll(order)).toBe("b0#1");
  });

  it("is empty after it was cleared, and usable", () => {
    const order = makeOrder(makeEntries("a0 b1"));
    order.clear();
    expect(order.pop()).toBeUndefined();
    for (const entry of makeEntries("c0")) order.push(entry);
    expect(popAll(order)).toBe("c0#0");
  });
});
