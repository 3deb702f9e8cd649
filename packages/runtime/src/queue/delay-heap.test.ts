import type { CancelTimer } from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { type Delayed, DelayHeap, inNoHeap } from "./delay-heap.ts";

interface Entry extends Delayed {
  readonly name: string;
}

function makeEntry(name: string): Entry {
  return { name, dueMs: 0, order: 0, heapIndex: inNoHeap };
}

/** A clock that loses the timers of this delay. */
class LossyClock extends VirtualClock {
  lostDelayMs = Number.NaN;

  override schedule(delayMs: number, callback: () => void): CancelTimer {
    return delayMs === this.lostDelayMs ? () => {} : super.schedule(delayMs, callback);
  }
}

function makeHeap<C extends VirtualClock>(clock: C): { heap: DelayHeap<Entry>; left: string[] } {
  const left: string[] = [];
  const heap = new DelayHeap<Entry>(clock, (entries, nowMs) => {
    for (const { name } of entries) left.push(`${name}@${nowMs}`);
  });
  return { heap, left };
}

describe("entries that wait for their time", () => {
  it("leave at their due times, and those of one time in the order in which they came", async () => {
    const clock = new VirtualClock();
    const { heap, left } = makeHeap(clock);
    heap.add(makeEntry("c"), 30);
    heap.add(makeEntry("a"), 10);
    heap.add(makeEntry("b1"), 20);
    heap.add(makeEntry("b2"), 20);
    heap.add(makeEntry("b3"), 20);
    await clock.advance(9);
    expect(left).toEqual([]);
    await clock.advance(11);
    expect(left).toEqual(["a@10", "b1@20", "b2@20", "b3@20"]);
    await clock.advance(1000);
    expect(left).toEqual(["a@10", "b1@20", "b2@20", "b3@20", "c@30"]);
  });

  it("can be moved forwards and back", async () => {
    const clock = new VirtualClock();
    const { heap, left } = makeHeap(clock);
    const [sooner, later] = [makeEntry("sooner"), makeEntry("later")];
    heap.add(sooner, 50);
    heap.add(later, 50);
    heap.move(sooner, 10);
    heap.move(later, 90);
    await clock.advance(100);
    expect(left).toEqual(["sooner@10", "later@90"]);
  });

  it("are not released once removed", async () => {
    const clock = new VirtualClock();
    const { heap, left } = makeHeap(clock);
    const [first, second] = [makeEntry("first"), makeEntry("second")];
    heap.add(first, 10);
    heap.add(second, 20);
    heap.remove(first);
    await clock.advance(100);
    expect(left).toEqual(["second@20"]);
  });

  it("are released by a caller with the current time, before a late timer fires", () => {
    const clock = new VirtualClock();
    const { heap, left } = makeHeap(clock);
    heap.add(makeEntry("a"), 10);
    heap.add(makeEntry("b"), 20);
    heap.releaseDue(15);
    expect(left).toEqual(["a@15"]);
    expect(heap.size).toBe(1);
  });

  it("set two timers, however many they are, and none when there are none", async () => {
    const clock = new VirtualClock();
    const { heap, left } = makeHeap(clock);
    expect(clock.pendingTimers).toEqual([]);
    for (let i = 0; i < 100; i++) heap.add(makeEntry(String(i)), 1000 - i);
    expect(clock.pendingTimers).toHaveLength(2);
    await clock.advance(1000);
    expect(left).toHaveLength(100);
    expect(clock.pendingTimers).toEqual([]);
    heap.add(makeEntry("removed"), 5000);
    heap.clear();
    expect([heap.size, clock.pendingTimers]).toEqual([0, []]);
  });

  it("[PQ11] leave at most 10 s late though their timer is lost", async () => {
    const clock = new LossyClock();
    const { heap, left } = makeHeap(clock);
    clock.lostDelayMs = 12_000;
    heap.add(makeEntry("a"), 12_000);
    clock.lostDelayMs = 2000;
    await clock.advance(22_000);
    expect(left).toEqual(["a@20000"]);
  });

  it("[PQ11] do not depend on the heartbeat either", async () => {
    const clock = new LossyClock();
    const { heap, left } = makeHeap(clock);
    clock.lostDelayMs = 10_000;
    heap.add(makeEntry("a"), 12_000);
    await clock.advance(12_000);
    expect(left).toEqual(["a@12000"]);
  });
});
