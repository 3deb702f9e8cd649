import { describe, expect, it } from "vitest";
import { defaultLimits } from "./guard-limits.ts";
import { KeyHold } from "./key-hold.ts";

const minute = 60_000;

function tightened(hold: KeyHold, now: number): number {
  hold.tighten(now);
  return hold.at(now);
}

describe("the hold of a key", () => {
  it("doubles whenever the loop persists, up to its limit", () => {
    const hold = new KeyHold(defaultLimits);
    expect(hold.at(0)).toBe(0);
    const holds = Array.from({ length: 11 }, (_, index) => tightened(hold, index) / 1000);
    expect(holds).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    expect(hold.at(20)).toBe(300_000);
  });

  it("stays as it is when another loop begins, or the same goes on", () => {
    const hold = new KeyHold(defaultLimits);
    hold.keep(0);
    expect(hold.at(0)).toBe(0);
    hold.begin(0);
    expect(hold.at(0)).toBe(1000);
    tightened(hold, 1);
    hold.begin(2 * minute);
    hold.keep(4 * minute);
    expect([hold.at(6 * minute), hold.at(6 * minute + 1)]).toEqual([2000, 0]);
  });

  it("ends after two windows without a loop, and begins anew", () => {
    const hold = new KeyHold(defaultLimits);
    hold.begin(1000);
    hold.tighten(2000);
    expect([hold.at(2000 + 2 * minute), hold.at(2001 + 2 * minute)]).toEqual([2000, 0]);
    expect(tightened(hold, 3000 + 2 * minute)).toBe(1000);
  });

  it("outlasts the pauses that it makes itself", () => {
    const hold = new KeyHold(defaultLimits);
    for (let count = 0; count < 10; count++) hold.tighten(0);
    expect(hold.at(6 * minute)).toBe(5 * minute);
    expect(tightened(hold, 6 * minute)).toBe(5 * minute);
    expect(hold.at(16 * minute + 1)).toBe(0);
  });
});
