import { afterEach, describe, expect, it, vi } from "vitest";
import { sleep } from "./clock.ts";
import { systemClock } from "./system-clock.ts";

const dayMs = 24 * 60 * 60 * 1000;

afterEach(() => {
  vi.useRealTimers();
});

describe("the machine's clock", () => {
  it("has the time of the machine, and a time that never goes back", () => {
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000);
    const first = systemClock.monotonicNow();
    expect(systemClock.monotonicNow()).toBeGreaterThanOrEqual(first);
  });

  it("measures CPU time, which a wait does not use", async () => {
    const begun = systemClock.cpuNow?.() ?? Number.NaN;
    const untilMs = systemClock.monotonicNow() + 1_000;
    while ((systemClock.cpuNow?.() ?? 0) < begun + 5 && systemClock.monotonicNow() < untilMs);
    const worked = systemClock.cpuNow?.() ?? Number.NaN;
    expect(worked).toBeGreaterThanOrEqual(begun + 5);
    await sleep(systemClock, 100);
    expect((systemClock.cpuNow?.() ?? Number.NaN) - worked).toBeLessThan(100);
  });

  it("never fires early, not even by a fraction of a millisecond", async () => {
    const earliest: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const startMs = systemClock.monotonicNow();
      await sleep(systemClock, 1.9);
      earliest.push(systemClock.monotonicNow() - startMs);
    }
    expect(Math.min(...earliest)).toBeGreaterThanOrEqual(1.9);
  });

  it("fires later than now even without a delay", async () => {
    const fired = Promise.withResolvers<void>();
    const calls: string[] = [];
    systemClock.schedule(0, () => {
      calls.push("timer");
      fired.resolve();
    });
    calls.push("caller");
    await fired.promise;
    expect(calls).toEqual(["caller", "timer"]);
  });

  it("fires at once for a time in the past, and never passes a negative delay to Node", async () => {
    const setTimeoutSpy = vi.spyOn(globalThis, "setTimeout");
    await sleep(systemClock, -1_500);
    expect(setTimeoutSpy.mock.calls.map(([, delayMs]) => delayMs)).toEqual([0]);
    setTimeoutSpy.mockRestore();
  });

  it("does not fire once it was cancelled; cancelling twice or late does no harm", async () => {
    const calls: string[] = [];
    const cancel = systemClock.schedule(1, () => calls.push("cancelled"));
    cancel();
    cancel();
    const fired = Promise.withResolvers<void>();
    const cancelLate = systemClock.schedule(2, () => fired.resolve());
    await fired.promise;
    cancelLate();
    expect(calls).toEqual([]);
  });

  it("waits longer than a timer of Node can, once, and can be cancelled after the first part", () => {
    vi.useFakeTimers();
    const calls: string[] = [];
    systemClock.schedule(60 * dayMs, () => calls.push("fired"));
    const cancel = systemClock.schedule(60 * dayMs, () => calls.push("cancelled"));
    vi.advanceTimersByTime(30 * dayMs);
    cancel();
    vi.advanceTimersByTime(30 * dayMs - 1);
    expect(calls).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(calls).toEqual(["fired"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
