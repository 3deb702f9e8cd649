import { VirtualClock } from "@keelson/testkit";
import { expect, it } from "vitest";
import { ReadLeases } from "./informer-pool.ts";

/** Counts its releases. */
function use() {
  let released = 0;
  return {
    get released() {
      return released;
    },
    release: async () => {
      released += 1;
    },
  };
}

it("[IN16] holds what reads began for good without a time limit", async () => {
  const clock = new VirtualClock();
  const uses = new ReadLeases(clock, undefined);
  const pods = use();
  uses.begin("pods", pods);
  await clock.advance(86_400_000);
  expect(pods.released).toBe(0);
  expect(clock.pendingTimers).toEqual([]);
});

it("releases a lease that was not read for the time limit, counted from the last read", async () => {
  const clock = new VirtualClock();
  const uses = new ReadLeases(clock, 1_000);
  const pods = use();
  uses.begin("pods", pods);
  await clock.advance(900);
  uses.read("pods")?.[Symbol.dispose]();
  await clock.advance(999);
  expect(pods.released).toBe(0);
  await clock.advance(1);
  expect(pods.released).toBe(1);
  expect(clock.pendingTimers).toEqual([]);
});

it("takes a touch for a read, of what it holds", async () => {
  const clock = new VirtualClock();
  const uses = new ReadLeases(clock, 1_000);
  const pods = use();
  uses.begin("pods", pods);
  await clock.advance(900);
  uses.touch("pods");
  uses.touch("nodes");
  await clock.advance(999);
  expect(pods.released).toBe(0);
  await clock.advance(1);
  expect(pods.released).toBe(1);
});

it("releases no lease during a read, however long it waits", async () => {
  const clock = new VirtualClock();
  const uses = new ReadLeases(clock, 1_000);
  const pods = use();
  uses.begin("pods", pods);
  const read = uses.read("pods");
  await clock.advance(10_000);
  expect(pods.released).toBe(0);
  read?.[Symbol.dispose]();
  await clock.advance(2_000);
  expect(pods.released).toBe(1);
});

it("[IN21] leaves no timer when it is cleared", () => {
  const clock = new VirtualClock();
  const uses = new ReadLeases(clock, 1_000);
  uses.begin("pods", use());
  uses.clear();
  expect(clock.pendingTimers).toEqual([]);
});
