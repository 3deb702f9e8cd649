import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import {
  fastSlowLimiter,
  InvalidQueueNumberError,
  itemExponentialLimiter,
  maxOfLimiters,
  maxWaitLimiter,
  presetLimiter,
  type RateLimiter,
  tokenBucketLimiter,
} from "./rate-limiter.ts";

function delays(limiter: RateLimiter, count: number, key = "a"): number[] {
  return Array.from({ length: count }, () => limiter.when(key));
}

describe("the item-exponential limiter", () => {
  it("[RL1] doubles the delay with each failure of an item, up to the maximum", () => {
    const limiter = itemExponentialLimiter({ baseMs: 1, maxMs: 20 });
    expect(delays(limiter, 7)).toEqual([1, 2, 4, 8, 16, 20, 20]);
    expect(limiter.numRequeues("a")).toBe(7);
  });

  it("[RL1] counts the failures of each item apart, and from 0 again once it is forgotten", () => {
    const limiter = itemExponentialLimiter({ baseMs: 1, maxMs: 1000 });
    delays(limiter, 3, "a");
    expect(limiter.when("b")).toBe(1);
    limiter.forget("a");
    expect(limiter.numRequeues("a")).toBe(0);
    expect(limiter.when("a")).toBe(1);
    expect(limiter.when("b")).toBe(2);
  });

  it("[RL1] does not overflow, however many failures there were", () => {
    const limiter = itemExponentialLimiter({ baseMs: 5, maxMs: 1_000_000 });
    expect(new Set(delays(limiter, 5000).slice(18))).toEqual(new Set([1_000_000]));
  });

  it("refuses delays that are no delays", () => {
    expect(() => itemExponentialLimiter({ baseMs: 0, maxMs: 1 })).toThrow(InvalidQueueNumberError);
    expect(() => itemExponentialLimiter({ baseMs: 1, maxMs: Number.NaN })).toThrow(
      "set maxMs: NaN is not a finite number above 0; pass a finite number above 0",
    );
  });
});

describe("the presets", () => {
  it("[RL4] oneSecondToFiveMinutes: 1 s doubled up to 5 min", () => {
    const seconds = delays(presetLimiter("oneSecondToFiveMinutes"), 11).map((ms) => ms / 1000);
    expect(seconds).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  });

  it("[RL4] controllerRuntime: 5 ms doubled up to 1000 s", () => {
    const ms = delays(presetLimiter("controllerRuntime"), 20);
    expect(ms.slice(0, 9)).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280]);
    expect(ms.slice(17)).toEqual([655_360, 1_000_000, 1_000_000]);
  });
});

describe("the token bucket", () => {
  it("[RL2] allows a burst, whatever the keys, and then a number per second", async () => {
    const clock = new VirtualClock();
    const limiter = tokenBucketLimiter({ clock, perSecond: 10, burst: 3 });
    expect(["a", "b", "c", "a", "b"].map((key) => limiter.when(key))).toEqual([0, 0, 0, 100, 200]);
    await clock.advance(250);
    expect(limiter.when("a")).toBeCloseTo(50);
  });

  it("fills up again to the burst, and not beyond", async () => {
    const clock = new VirtualClock();
    const limiter = tokenBucketLimiter({ clock, perSecond: 10, burst: 2 });
    delays(limiter, 5);
    await clock.advance(60_000);
    expect(delays(limiter, 3)).toEqual([0, 0, 100]);
  });

  it("remembers no items", () => {
    const limiter = tokenBucketLimiter({ clock: new VirtualClock(), perSecond: 1, burst: 1 });
    limiter.when("a");
    limiter.forget("a");
    expect(limiter.numRequeues("a")).toBe(0);
    expect(limiter.when("a")).toBe(1000);
  });
});

describe("combined limiters", () => {
  it("[RL3] fast/slow: the first failures wait briefly, all later ones long, until forgotten", () => {
    const limiter = fastSlowLimiter({ fastMs: 5, slowMs: 1000, fastAttempts: 3 });
    expect(delays(limiter, 5)).toEqual([5, 5, 5, 1000, 1000]);
    expect(limiter.numRequeues("a")).toBe(5);
    expect(limiter.when("b")).toBe(5);
    limiter.forget("a");
    expect(limiter.when("a")).toBe(5);
  });

  it("[RL3] max-of: the longest delay and the largest count; forgetting reaches all", () => {
    const growing = itemExponentialLimiter({ baseMs: 1, maxMs: 1000 });
    const steady = fastSlowLimiter({ fastMs: 5, slowMs: 6, fastAttempts: 3 });
    const limiter = maxOfLimiters(growing, steady);
    growing.when("a");
    expect(delays(limiter, 4)).toEqual([5, 5, 8, 16]);
    expect([growing.numRequeues("a"), steady.numRequeues("a"), limiter.numRequeues("a")]).toEqual([5, 4, 5]);
    limiter.forget("a");
    expect([growing.size, steady.size]).toEqual([0, 0]);
  });

  it("[RL3] max-wait: another limiter's delays, cut off", () => {
    const inner = itemExponentialLimiter({ baseMs: 1, maxMs: 1000 });
    const limiter = maxWaitLimiter(inner, 3);
    expect(delays(limiter, 4)).toEqual([1, 2, 3, 3]);
    expect(limiter.numRequeues("a")).toBe(4);
    limiter.forget("a");
    expect(inner.size).toBe(0);
  });
});

describe("what limiters remember", () => {
  it.each([
    ["item-exponential", () => itemExponentialLimiter({ baseMs: 1, maxMs: 10 })],
    ["fast/slow", () => fastSlowLimiter({ fastMs: 1, slowMs: 10, fastAttempts: 2 })],
  ])("[RL5] %s: nothing about an item that succeeded in the end", (_, make) => {
    const limiter = make();
    for (let i = 0; i < 1000; i++) {
      delays(limiter, 3, `item ${i}`);
      limiter.forget(`item ${i}`);
    }
    expect(limiter.size).toBe(0);
    limiter.when("failing");
    expect(limiter.size).toBe(1);
  });
});
