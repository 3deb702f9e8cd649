import { sleep } from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { controllerWorld, type World } from "../../test/support/controller-world.ts";
import { itemExponentialLimiter } from "../queue/rate-limiter.ts";
import { mostBeforeRetry } from "../queue/ready-order.ts";
import type { ReconcileResult } from "./reconciler.ts";

/** How long each reconcile takes. */
const slotMs = 5;

interface Scene extends World {
  readonly runs: { readonly key: string; readonly atMs: number }[];
  /** From now on each reconcile takes one slot. */
  slowDown(): void;
}

/** A controller that retries after 1 ms; `end` decides how the reconcile of a key ends. */
async function scene(concurrency: number, end: (key: string) => ReconcileResult): Promise<Scene> {
  const clock = new VirtualClock();
  const runs: Scene["runs"][number][] = [];
  let isSlow = false;
  const world = controllerWorld({
    clock,
    concurrency,
    backoff: () => itemExponentialLimiter({ baseMs: 1, maxMs: 1 }),
    reconcile: async ({ key, signal }) => {
      runs.push({ key, atMs: clock.monotonicNow() });
      if (isSlow) await sleep(clock, slotMs, signal);
      return end(key);
    },
  });
  await world.start();
  return Object.assign(world, {
    runs,
    slowDown: () => {
      isSlow = true;
    },
  });
}

function failKey(key: string): ReconcileResult {
  if (key.startsWith("failing")) throw new Error("the reconcile fails for good");
}

/** Adds failing keys and lets each fail once, so that all of them are retries. */
async function addFailing(world: Scene, count: number): Promise<void> {
  for (let index = 0; index < count; index++) world.source.add(`failing-${index}`);
  await world.clock.settle();
  expect(world.runs).toHaveLength(count);
  world.slowDown();
}

describe("retries", () => {
  it.each([1, 10])(
    "[PQ12] do not delay an event: with 10,000 failing keys a healthy key waits for at most one reconcile, at concurrency %i",
    async (concurrency) => {
      const world = await scene(concurrency, failKey);
      await addFailing(world, 10_000);
      const waitsMs: number[] = [];
      for (let round = 0; round < 20; round++) {
        await world.clock.advance(slotMs + 1);
        const addedMs = world.clock.monotonicNow();
        world.source.add("healthy");
        await world.clock.advance(3 * slotMs);
        const run = world.runs.findLast(({ key }) => key === "healthy");
        waitsMs.push((run?.atMs ?? Number.NaN) - addedMs);
      }
      expect(Math.max(...waitsMs)).toBeLessThanOrEqual(slotMs);
      await world.stop();
    },
  );

  it("[PQ12] still get every tenth slot during a flood of events", async () => {
    const world = await scene(1, failKey);
    await addFailing(world, 20);
    const failed = world.runs.length;
    for (let index = 0; index < 200; index++) world.source.add(`fresh-${index}`);
    await world.clock.advance(100 * slotMs);
    const keys = world.runs.slice(failed).map(({ key }) => key);
    const places = keys.flatMap((key, place) => (key.startsWith("failing") ? [place] : []));
    const gaps = places.slice(1).map((place, index) => place - (places[index] ?? 0));
    expect(new Set(gaps)).toEqual(new Set([mostBeforeRetry + 1]));
    expect(gaps.length).toBeGreaterThan(5);
    await world.stop();
  });

  it("[PQ12] count as fresh when an event arrives, and when the result requests a priority", async () => {
    const ended: string[] = [];
    const world = await scene(1, (key) => {
      ended.push(key);
      if (key === "urgent" && ended.length === 1) return { requeue: true, priority: 1 };
      return failKey(key);
    });
    world.slowDown();
    world.source.add("urgent");
    world.source.add("failing");
    await world.clock.advance(2 * slotMs);
    for (let index = 0; index < 5; index++) world.source.add(`fresh-${index}`);
    await world.clock.advance(slotMs);
    world.source.add("failing");
    await world.clock.advance(10 * slotMs);
    expect(world.runs.map(({ key }) => key).slice(0, 9)).toEqual([
      "urgent",
      "failing",
      "urgent",
      "fresh-0",
      "fresh-1",
      "fresh-2",
      "fresh-3",
      "fresh-4",
      "failing",
    ]);
    await world.stop();
  });
});
