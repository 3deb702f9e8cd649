import { describe, expect, it } from "vitest";
import { type CancelTimer, type Clock, formatTime, sleep } from "./clock.ts";

/** A clock whose one timer the test fires. */
class HandClock implements Clock {
  delayMs: number | undefined;
  isCancelled = false;
  fire: () => void = () => {};

  now(): number {
    return 0;
  }

  monotonicNow(): number {
    return 0;
  }

  schedule(delayMs: number, callback: () => void): CancelTimer {
    this.delayMs = delayMs;
    this.fire = callback;
    return () => {
      this.isCancelled = true;
    };
  }
}

describe("sleep", () => {
  it("ends when the timer of the clock fires, and not before", async () => {
    const clock = new HandClock();
    let isOver = false;
    const sleeping = sleep(clock, 1000).then(() => {
      isOver = true;
    });
    await Promise.resolve();
    expect({ isOver, delayMs: clock.delayMs }).toEqual({ isOver: false, delayMs: 1000 });
    clock.fire();
    await sleeping;
    expect(isOver).toBe(true);
  });

  it("throws the signal's reason as soon as it aborts, and leaves no timer behind", async () => {
    const clock = new HandClock();
    const controller = new AbortController();
    const sleeping = sleep(clock, 1000, controller.signal);
    const reason = new Error("stop");
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    expect(clock.isCancelled).toBe(true);
  });

  it("does not even begin if the signal has aborted", async () => {
    const clock = new HandClock();
    const reason = new Error("stopped before");
    await expect(sleep(clock, 1000, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(clock.delayMs).toBeUndefined();
  });

  it("leaves no listener on the signal", async () => {
    const clock = new HandClock();
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners.add(args[1]);
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners.delete(args[1]);
      removeEventListener.apply(signal, args);
    };
    const sleeping = sleep(clock, 1000, signal);
    expect(listeners.size).toBe(1);
    clock.fire();
    await sleeping;
    expect(listeners.size).toBe(0);
  });
});

describe("formatTime", () => {
  it("cuts off what is finer than a second", () => {
    expect(formatTime(Date.UTC(2026, 10, 15, 22, 31, 5, 999))).toBe("2026-11-15T22:31:05Z");
    expect(formatTime(0)).toBe("1970-01-01T00:00:00Z");
  });
});
