import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { endsWithin } from "./shutdown.ts";

const never = (): AbortSignal => new AbortController().signal;

describe("the grace period", () => {
  it("[MG3] does not wait if it is 0", async () => {
    const clock = new VirtualClock();
    expect(await endsWithin(clock, 0, new Promise(() => undefined), never())).toBe(false);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("[MG3] has no end if it is negative", async () => {
    const clock = new VirtualClock();
    const end = Promise.withResolvers<void>();
    const result = endsWithin(clock, -1, end.promise, never());
    await clock.advance(10 * 86_400_000);
    end.resolve();
    expect(await result).toBe(true);
  });

  it("[MG3] ends after its time, and leaves no timer behind in either case", async () => {
    const clock = new VirtualClock();
    const late = endsWithin(clock, 30_000, new Promise(() => undefined), never());
    await clock.advance(29_999);
    expect(clock.pendingTimers).toHaveLength(1);
    await clock.advance(1);
    expect(await late).toBe(false);
    expect(await endsWithin(clock, 30_000, Promise.reject(new Error("failed")), never())).toBe(true);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("[MG7] is cut off by a signal", async () => {
    const clock = new VirtualClock();
    const cut = new AbortController();
    const result = endsWithin(clock, 30_000, new Promise(() => undefined), cut.signal);
    cut.abort();
    expect(await result).toBe(false);
    expect(clock.pendingTimers).toEqual([]);
  });
});
