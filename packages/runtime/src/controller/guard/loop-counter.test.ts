import { describe, expect, it } from "vitest";
import { LoopCounter, type LoopSign } from "./loop-counter.ts";

const limits = { runs: 3, windowMs: 1000, repeats: 2, pace: 1.1 };

/** What the runs are that begin at these times and take 50 ms, of a key that is held for so long. */
function signs(counter: LoopCounter, times: readonly number[], holdMs: number): readonly LoopSign[] {
  return times.map((now) => counter.note({ beganAtMs: now, endedAtMs: now + 50 }, now, holdMs));
}

describe("a counter of runs that do the same", () => {
  it("sees a loop begin with so many within the window", () => {
    const counter = new LoopCounter(limits);
    expect(signs(counter, [0, 999, 1000, 1500, 1600], 0)).toEqual(["calm", "calm", "calm", "begins", "calm"]);
  });

  it("counts each run once", () => {
    const counter = new LoopCounter(limits);
    const run = { beganAtMs: 0, endedAtMs: 0 };
    expect([1, 2, 3, 4].map((now) => counter.note(run, now, 0))).not.toContain("begins");
  });

  it("sees the loop of a held key persist when so many runs in a row come as soon as they may", () => {
    const counter = new LoopCounter(limits);
    const found = signs(counter, [0, 1050, 2200, 3300, 4450, 5500], 1000);
    expect(found).toEqual(["calm", "goesOn", "persists", "goesOn", "persists", "goesOn"]);
  });

  it("takes a run that comes later for somebody's who was not held", () => {
    const counter = new LoopCounter(limits);
    const found = signs(counter, [0, 1050, 2250, 3350, 4550], 1000);
    expect(found).toEqual(["calm", "goesOn", "calm", "goesOn", "calm"]);
  });

  it("starts over after a reset", () => {
    const counter = new LoopCounter(limits);
    signs(counter, [0, 1], 0);
    counter.reset();
    expect(signs(counter, [2, 3, 4], 0)).toEqual(["calm", "calm", "begins"]);
    counter.reset();
    expect(signs(counter, [5], 1000)).toEqual(["calm"]);
  });
});
