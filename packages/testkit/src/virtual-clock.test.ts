import { PassThrough, Readable } from "node:stream";
import { sleep } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { ClockBusyError, ClockStuckError, EndlessTimersError } from "./errors.ts";
import { VirtualClock } from "./virtual-clock.ts";

describe("time", () => {
  it("stands still until it is moved", async () => {
    const clock = new VirtualClock({ startAt: 5_000 });
    await clock.settle();
    expect([clock.now(), clock.monotonicNow()]).toEqual([5_000, 0]);
    await clock.advance(1_500);
    expect([clock.now(), clock.monotonicNow()]).toEqual([6_500, 1_500]);
  });

  it("begins at the same date in every run by default", () => {
    expect(new VirtualClock().now()).toBe(Date.parse("2026-01-01T00:00:00Z"));
  });

  it("of the wall may jump either way; durations and timers do not notice", async () => {
    const clock = new VirtualClock();
    const fired: number[] = [];
    clock.schedule(1_000, () => fired.push(clock.monotonicNow()));
    clock.setWallTime(0);
    expect([clock.now(), clock.monotonicNow()]).toEqual([0, 0]);
    await clock.advance(999);
    expect(fired).toEqual([]);
    await clock.advance(1);
    expect(fired).toEqual([1_000]);
    expect(clock.now()).toBe(1_000);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("does not move by %s ms", async (ms) => {
    await expect(new VirtualClock().advance(ms)).rejects.toThrow(RangeError);
  });
});

describe("timers", () => {
  it("fire by due time, then by scheduling, each at its own moment", async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    const note = (name: string) => () => fired.push(`${name}@${clock.monotonicNow()}`);
    clock.schedule(20, note("c"));
    clock.schedule(10, note("a"));
    clock.schedule(10, note("b"));
    clock.schedule(31, note("late"));
    await clock.advance(30);
    expect(fired).toEqual(["a@10", "b@10", "c@20"]);
  });

  it("that a timer schedules on the way fire in the same advance", async () => {
    const clock = new VirtualClock();
    const ticks: number[] = [];
    const tick = (): void => {
      ticks.push(clock.monotonicNow());
      clock.schedule(10, tick);
    };
    clock.schedule(10, tick);
    await clock.advance(35);
    expect(ticks).toEqual([10, 20, 30]);
    expect(clock.pendingTimers).toEqual([{ dueMs: 40, inMs: 5 }]);
  });

  it("wait for the promise jobs of the one before, however many these are", async () => {
    const clock = new VirtualClock();
    const events: string[] = [];
    const longChain = async (): Promise<void> => {
      await sleep(clock, 10);
      for (let job = 0; job < 5_000; job++) await Promise.resolve();
      events.push("chain");
    };
    const chain = longChain();
    clock.schedule(11, () => events.push("next timer"));
    await clock.advance(20);
    await chain;
    expect(events).toEqual(["chain", "next timer"]);
  });

  it("wait for what a stream of Node hands on", async () => {
    const clock = new VirtualClock();
    let text = "";
    const readAll = async (): Promise<void> => {
      await sleep(clock, 10);
      const stream = Readable.from(["a", "b"]).pipe(new PassThrough()).pipe(new PassThrough());
      for await (const chunk of stream) text += String(chunk);
      text += " end";
    };
    const reading = readAll();
    clock.schedule(11, () => {
      text += ", next timer";
    });
    await clock.advance(20);
    await reading;
    expect(text).toBe("ab end, next timer");
  });

  it("that were cancelled do not fire, and cancelling late or twice does no harm", async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    const cancelFirst = clock.schedule(10, () => fired.push("first"));
    const cancelSecond = clock.schedule(10, () => fired.push("second"));
    clock.schedule(10, () => fired.push("third"));
    cancelSecond();
    cancelSecond();
    await clock.advance(10);
    cancelFirst();
    expect(fired).toEqual(["first", "third"]);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("may be cancelled by an earlier one of the same moment", async () => {
    const clock = new VirtualClock();
    let hasFired = false;
    clock.schedule(10, () => cancel());
    const cancel = clock.schedule(10, () => {
      hasFired = true;
    });
    await clock.advance(10);
    expect(hasFired).toBe(false);
  });

  it("that were due in the past fire at once, without time going back", async () => {
    const clock = new VirtualClock();
    await clock.advance(100);
    const fired: number[] = [];
    clock.schedule(-50, () => fired.push(clock.monotonicNow()));
    await clock.advance(0);
    expect(fired).toEqual([100]);
  });

  it("need a delay that is a number", () => {
    expect(() => new VirtualClock().schedule(Number.NaN, () => undefined)).toThrow(RangeError);
  });

  it("that throw fail the advance, and are removed", async () => {
    const clock = new VirtualClock();
    const mistake = new Error("boom");
    clock.schedule(10, () => {
      throw mistake;
    });
    await expect(clock.advance(20)).rejects.toBe(mistake);
    expect(clock.pendingTimers).toEqual([]);
    await clock.advance(10);
    expect(clock.monotonicNow()).toBe(20);
  });

  it("that schedule each other for the same moment are found out", async () => {
    const clock = new VirtualClock({ settle: async () => undefined });
    const again = (): void => {
      clock.schedule(0, again);
    };
    again();
    await expect(clock.advance(1)).rejects.toThrow(EndlessTimersError);
  });
});

describe("advanceUntil", () => {
  it("moves no further than to the timer that makes the condition true", async () => {
    const clock = new VirtualClock();
    let count = 0;
    for (const delayMs of [100, 250, 250, 400])
      clock.schedule(delayMs, () => {
        count += 1;
      });
    await clock.advanceUntil(() => count === 2);
    expect(clock.monotonicNow()).toBe(250);
    expect(clock.pendingTimers.map(({ inMs }) => inMs)).toEqual([0, 150]);
  });

  it("does not move if the condition holds as soon as all has settled", async () => {
    const clock = new VirtualClock();
    clock.schedule(10, () => undefined);
    let isReady = false;
    void Promise.resolve().then(() => {
      isReady = true;
    });
    await clock.advanceUntil(() => isReady);
    expect(clock.monotonicNow()).toBe(0);
  });

  it("throws when timers go on past the limit, and reports when the next one is due", async () => {
    const clock = new VirtualClock();
    const tick = (): void => {
      clock.schedule(400, tick);
    };
    tick();
    const stuck = clock.advanceUntil(() => false, { maxMs: 1_000 });
    await expect(stuck).rejects.toMatchObject({
      passedMs: 800,
      pendingTimers: [{ dueMs: 1_200, inMs: 400 }],
    });
    await expect(stuck).rejects.toThrow(/next of 1 timers is due in 400 ms, later than the limit of 1000 ms/);
  });

  it("takes a timer that is never due for no timer", async () => {
    const clock = new VirtualClock();
    clock.schedule(Number.POSITIVE_INFINITY, () => undefined);
    const waiting = clock.advanceUntil(() => false, { maxMs: Number.POSITIVE_INFINITY });
    await expect(waiting).rejects.toThrow(ClockStuckError);
  });
});

describe("runUntil", () => {
  it("gives what the promise gives, at the time when it does", async () => {
    const clock = new VirtualClock();
    const work = async (): Promise<string> => {
      await sleep(clock, 1_000);
      await sleep(clock, 500);
      return "done";
    };
    expect(await clock.runUntil(work())).toBe("done");
    expect(clock.monotonicNow()).toBe(1_500);
  });

  it("throws what the promise throws", async () => {
    const clock = new VirtualClock();
    const mistake = new Error("boom");
    const work = sleep(clock, 10).then(() => Promise.reject(mistake));
    await expect(clock.runUntil(work)).rejects.toBe(mistake);
  });

  it("reports that nothing is scheduled when the promise waits for something else than the clock", async () => {
    const clock = new VirtualClock();
    const work = sleep(clock, 10).then(() => Promise.withResolvers<void>().promise);
    const stuck = clock.runUntil(work);
    await expect(stuck).rejects.toThrow(ClockStuckError);
    await expect(stuck).rejects.toThrow(/run until a promise settles: not so after 10 ms .* no timer/);
  });
});

describe("who moves it", () => {
  it("must be alone", async () => {
    const clock = new VirtualClock();
    const moving = clock.advance(10);
    await expect(clock.advance(10)).rejects.toThrow(ClockBusyError);
    await moving;
    expect(clock.monotonicNow()).toBe(10);
  });

  it("decides how the rest settles", async () => {
    let settled = 0;
    const clock = new VirtualClock({
      settle: async () => {
        settled += 1;
      },
    });
    clock.schedule(1, () => undefined);
    clock.schedule(2, () => undefined);
    await clock.advance(5);
    expect(settled).toBe(3);
  });
});
