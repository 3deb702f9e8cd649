import { VirtualClock } from "@keelson/testkit";
import { expect, it } from "vitest";
import { ProgressGate } from "./progress-gate.ts";

it("[RW1] opens as soon as there is nothing to wait for, and leaves no timer", async () => {
  const clock = new VirtualClock();
  const gate = new ProgressGate(clock);
  let untilMs: number | undefined = clock.monotonicNow() + 10_000;
  const passes = gate.waitUntilKnown(() => untilMs, new AbortController().signal);
  await clock.advance(9_000);
  gate.recheck();
  untilMs = undefined;
  gate.recheck();
  expect(await passes).toBe(true);
  expect(clock.pendingTimers).toEqual([]);
});

it("[RW1] gives up at the deadline", async () => {
  const clock = new VirtualClock();
  const untilMs = clock.monotonicNow() + 10_000;
  const passes = new ProgressGate(clock).waitUntilKnown(() => untilMs, new AbortController().signal);
  await clock.advance(10_000);
  expect(await passes).toBe(false);
});

it("[RW1] gives up at the first deadline, however many writes come after it", async () => {
  const clock = new VirtualClock();
  const gate = new ProgressGate(clock);
  const passes = gate.waitUntilKnown(() => clock.monotonicNow() + 10_000, new AbortController().signal);
  for (let index = 0; index < 10; index += 1) {
    gate.recheck();
    await clock.advance(1_000);
  }
  expect(await passes).toBe(false);
  expect(clock.pendingTimers).toEqual([]);
});

it("throws the reason of the signal and leaves no timer", async () => {
  const clock = new VirtualClock();
  const controller = new AbortController();
  const passes = new ProgressGate(clock).waitUntilKnown(() => 10_000, controller.signal);
  controller.abort(new Error("enough"));
  await expect(passes).rejects.toThrow("enough");
  expect(clock.pendingTimers).toEqual([]);
});

it("[MX5] counts the readers that had to wait, each once", async () => {
  const clock = new VirtualClock();
  const gate = new ProgressGate(clock);
  const { signal } = new AbortController();
  await gate.waitUntilKnown(() => undefined, signal);
  expect(gate.waits).toBe(0);
  const untilMs = clock.monotonicNow() + 1_000;
  const passes = gate.waitUntilKnown(() => untilMs, signal);
  gate.recheck();
  await clock.advance(1_000);
  expect(await passes).toBe(false);
  expect(gate.waits).toBe(1);
});
