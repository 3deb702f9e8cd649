import { describe, expect, it } from "vitest";
import { circuitOpenUntil, withReload } from "./circuit-breaker.ts";

const breaker = { reloads: 3, periodMs: 60_000 };
const startMs = Date.parse("2026-06-10T00:00:00Z");
/** The time so many seconds after the start. */
const time = (second: number): string => new Date(startMs + second * 1000).toISOString();

function openUntil(reloads: readonly number[], now: number): number | undefined {
  const untilMs = circuitOpenUntil(reloads.map(time), breaker, startMs + now * 1000);
  return untilMs === undefined ? undefined : (untilMs - startMs) / 1000;
}

describe("a circuit breaker", () => {
  it.each<[what: string, reloads: number[], now: number, until: number | undefined]>([
    ["is closed without a reload", [], 0, undefined],
    ["is closed after fewer reloads", [0, 1], 2, undefined],
    ["opens with the last reload that is allowed", [0, 10, 20], 20, 80],
    ["is open until the period has passed since then", [0, 10, 20], 79.999, 80],
    ["closes then", [0, 10, 20], 80, undefined],
    ["stays closed if the reloads are as far apart as the period", [0, 30, 60], 61, undefined],
    ["counts the last reloads only", [0, 1, 2, 100], 101, undefined],
    ["does not depend on the order", [20, 0, 10], 30, 80],
    ["ignores times that are further ahead than the period", [500, 501, 502], 0, undefined],
    ["accepts a clock that is behind by less than that", [0, 10, 20], 15, 80],
  ])("%s", (_what, reloads, now, until) => {
    expect(openUntil(reloads, now)).toBe(until);
  });

  it("never opens if it is switched off", () => {
    expect(circuitOpenUntil([time(0), time(1)], { reloads: 0, periodMs: 60_000 }, startMs)).toBeUndefined();
  });

  it("opens for each change if one reload is allowed", () => {
    expect(circuitOpenUntil([time(0)], { reloads: 1, periodMs: 60_000 }, startMs + 1)).toBe(startMs + 60_000);
  });

  it("lets through at most so many reloads in a period, and the change after the last one", () => {
    let recent: readonly string[] = [];
    const reloads: number[] = [];
    for (let second = 0; second < 600; second++) {
      if (
        openUntil(
          recent.map((each) => (Date.parse(each) - startMs) / 1000),
          second,
        ) !== undefined
      )
        continue;
      recent = withReload(recent, time(second), breaker);
      reloads.push(second);
      expect(recent.length).toBeLessThanOrEqual(breaker.reloads);
    }
    expect(reloads.slice(0, 7)).toEqual([0, 1, 2, 62, 63, 64, 124]);
  });
});

describe("the recorded reloads", () => {
  it("are those of the period, and no more than are counted", () => {
    expect(withReload([time(0), time(70), time(80), time(90)], time(100), breaker)).toEqual(
      [80, 90, 100].map(time),
    );
    expect(withReload([time(0), time(50)], time(100), breaker)).toEqual([50, 100].map(time));
  });

  it("have a reload once, and none of a clock that was ahead", () => {
    expect(withReload([time(100), time(5000)], time(100), breaker)).toEqual([time(100)]);
  });
});
