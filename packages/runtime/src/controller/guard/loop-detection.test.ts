import { describe, expect, it } from "vitest";
import { defaultLimits, KeyHold, LoopCounter, type LoopSign } from "./loop-detection.ts";

const limits = { runs: 3, windowMs: 1000, repeats: 2, pace: 1.1 };

/** The signs of runs that begin at these times and take 50 ms, of a key that is held for `holdMs`. */
function signs(counter: LoopCounter, times: readonly number[], holdMs: number): readonly LoopSign[] {
  return times.map((now) => counter.note({ beganAtMs: now, endedAtMs: now + 50 }, now, holdMs));
}

describe("a counter of runs that do the same", () => {
  it("detects a loop after the given number of runs within the window", () => {
    const counter = new LoopCounter(limits);
    expect(signs(counter, [0, 999, 1000, 1500, 1600], 0)).toEqual(["none", "none", "none", "begins", "none"]);
  });

  it("counts each run once", () => {
    const counter = new LoopCounter(limits);
    const run = { beganAtMs: 0, endedAtMs: 0 };
    expect([1, 2, 3, 4].map((now) => counter.note(run, now, 0))).not.toContain("begins");
  });

  it("detects that the loop of a held key persists after the given number of runs in a row at its pace", () => {
    const counter = new LoopCounter(limits);
    const found = signs(counter, [0, 1050, 2200, 3300, 4450, 5500], 1000);
    expect(found).toEqual(["none", "continues", "persists", "continues", "persists", "continues"]);
  });

  it("takes a later run for one that was not delayed by the hold", () => {
    const counter = new LoopCounter(limits);
    const found = signs(counter, [0, 1050, 2250, 3350, 4550], 1000);
    expect(found).toEqual(["none", "continues", "none", "continues", "none"]);
  });

  it("starts over after a reset", () => {
    const counter = new LoopCounter(limits);
    signs(counter, [0, 1], 0);
    counter.reset();
    expect(signs(counter, [2, 3, 4], 0)).toEqual(["none", "none", "begins"]);
    counter.reset();
    expect(signs(counter, [5], 1000)).toEqual(["none"]);
  });
});

const minute = 60_000;

function extended(hold: KeyHold, now: number): number {
  hold.extend(now);
  return hold.at(now);
}

describe("the hold of a key", () => {
  it("doubles whenever the loop persists, up to its limit", () => {
    const hold = new KeyHold(defaultLimits);
    expect(hold.at(0)).toBe(0);
    const holds = Array.from({ length: 11 }, (_, index) => extended(hold, index) / 1000);
    expect(holds).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    expect(hold.at(20)).toBe(300_000);
  });

  it("stays the same when another loop begins, or the same loop continues", () => {
    const hold = new KeyHold(defaultLimits);
    hold.keep(0);
    expect(hold.at(0)).toBe(0);
    hold.begin(0);
    expect(hold.at(0)).toBe(1000);
    extended(hold, 1);
    hold.begin(2 * minute);
    hold.keep(4 * minute);
    expect([hold.at(6 * minute), hold.at(6 * minute + 1)]).toEqual([2000, 0]);
  });

  it("ends after two windows without a loop, and then begins again", () => {
    const hold = new KeyHold(defaultLimits);
    hold.begin(1000);
    hold.extend(2000);
    expect([hold.at(2000 + 2 * minute), hold.at(2001 + 2 * minute)]).toEqual([2000, 0]);
    expect(extended(hold, 3000 + 2 * minute)).toBe(1000);
  });

  it("outlasts the pauses that it causes", () => {
    const hold = new KeyHold(defaultLimits);
    for (let count = 0; count < 10; count++) hold.extend(0);
    expect(hold.at(6 * minute)).toBe(5 * minute);
    expect(extended(hold, 6 * minute)).toBe(5 * minute);
    expect(hold.at(16 * minute + 1)).toBe(0);
  });
});
