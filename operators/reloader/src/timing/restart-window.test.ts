import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RestartWindow } from "../decision/reload-policy.ts";
import { windowProblems, windowStateAt } from "./restart-window.ts";

const at = (time: string): number => Date.parse(time);

/** As text: `open until …`, `closed until …`, or `closed`. */
function stateAt(windows: RestartWindow | readonly RestartWindow[], time: string): string {
  const state = windowStateAt([windows].flat(), at(time));
  const endMs = state.isOpen ? state.untilMs : state.nextMs;
  const end = endMs === undefined ? "" : ` until ${new Date(endMs).toISOString().replace(".000", "")}`;
  return `${state.isOpen ? "open" : "closed"}${end}`;
}

const nightly: RestartWindow = { schedule: "0 2 * * *", duration: "2h" };
const berlin: RestartWindow = { ...nightly, timeZone: "Europe/Berlin" };

describe("a restart window", () => {
  it.each<[what: string, RestartWindow | RestartWindow[], time: string, state: string]>([
    ["before it opens", nightly, "2026-06-10T01:59:59.999Z", "closed until 2026-06-10T02:00:00Z"],
    ["when it opens", nightly, "2026-06-10T02:00:00Z", "open until 2026-06-10T04:00:00Z"],
    ["in its last moment", nightly, "2026-06-10T03:59:59.999Z", "open until 2026-06-10T04:00:00Z"],
    ["when it closes", nightly, "2026-06-10T04:00:00Z", "closed until 2026-06-11T02:00:00Z"],
    ["in a time zone", berlin, "2026-06-10T00:30:00Z", "open until 2026-06-10T02:00:00Z"],
    [
      "from the evening to the next month",
      { schedule: "0 22 31 1 *", duration: "4h" },
      "2026-02-01T01:00:00Z",
      "open until 2026-02-01T02:00:00Z",
    ],
    [
      "as @daily",
      { schedule: "@daily", duration: "30m" },
      "2026-06-10T00:29:00Z",
      "open until 2026-06-10T00:30:00Z",
    ],
    [
      "as @weekly, which is on Sunday",
      { schedule: "@weekly", duration: "1h" },
      "2026-06-10T00:30:00Z",
      "closed until 2026-06-14T00:00:00Z",
    ],
    [
      "with occurrences that overlap",
      { schedule: "0 1-3 * * *", duration: "90m" },
      "2026-06-10T01:10:00Z",
      "open until 2026-06-10T04:30:00Z",
    ],
    [
      "with occurrences that touch",
      { schedule: "0 1-3 * * *", duration: "1h" },
      "2026-06-10T02:00:00Z",
      "open until 2026-06-10T04:00:00Z",
    ],
    [
      "longer than the time between its occurrences",
      { schedule: "0 0 * * *", duration: "49h" },
      "2026-06-10T23:59:00Z",
      "open until 2026-06-27T01:00:00Z",
    ],
    [
      "in a union, of which one is open",
      [nightly, { schedule: "0 12 * * *", duration: "1h" }],
      "2026-06-10T12:30:00Z",
      "open until 2026-06-10T13:00:00Z",
    ],
    [
      "in a union, of which one continues the other",
      [nightly, { schedule: "30 3 * * *", duration: "1h" }],
      "2026-06-10T02:30:00Z",
      "open until 2026-06-10T04:30:00Z",
    ],
    [
      "in a union, of which none is open",
      [nightly, { schedule: "0 12 * * *", duration: "1h" }],
      "2026-06-10T05:00:00Z",
      "closed until 2026-06-10T12:00:00Z",
    ],
    [
      "in a union with a window that has a typing error",
      [{ schedule: "sometimes", duration: "1h" }, nightly],
      "2026-06-10T05:00:00Z",
      "closed until 2026-06-11T02:00:00Z",
    ],
  ])("%s", (_what, windows, time, state) => {
    expect(stateAt(windows, time)).toBe(state);
  });

  it("is as long as it says when the clocks are changed in it", () => {
    // In Berlin it is 2:00, then 3:00, on the 29th of March at 1:00 UTC, and 3:00, then 2:00, on the 25th of October.
    const night = { schedule: "30 1 * * *", duration: "2h", timeZone: "Europe/Berlin" };
    expect(stateAt(night, "2026-03-29T00:30:00Z")).toBe("open until 2026-03-29T02:30:00Z");
    expect(stateAt(night, "2026-10-24T23:30:00Z")).toBe("open until 2026-10-25T01:30:00Z");
  });

  it("does not open at a time that is left out when the clocks are set forward, like a CronJob", () => {
    const left = { schedule: "30 2 * * *", duration: "1h", timeZone: "Europe/Berlin" };
    expect(stateAt(left, "2026-03-28T12:00:00Z")).toBe("closed until 2026-03-30T00:30:00Z");
  });

  it("opens twice at a time that comes twice when the clocks are set back", () => {
    const twice = { schedule: "30 2 * * *", duration: "20m", timeZone: "Europe/Berlin" };
    expect(stateAt(twice, "2026-10-25T00:00:00Z")).toBe("closed until 2026-10-25T00:30:00Z");
    expect(stateAt(twice, "2026-10-25T00:55:00Z")).toBe("closed until 2026-10-25T01:30:00Z");
  });

  it("is always open if there is none", () => {
    expect(windowStateAt([], 0)).toEqual({ isOpen: true, untilMs: Number.POSITIVE_INFINITY });
  });

  it.each<[problem: string, RestartWindow]>([
    ["is never due", { schedule: "0 0 30 2 *", duration: "1h" }],
    ["is no schedule", { schedule: "at night", duration: "1h" }],
    ["names no times", { schedule: "@every 6h", duration: "1h" }],
    ["has no length", { schedule: "0 2 * * *", duration: "0s" }],
    ["has a negative length", { schedule: "0 2 * * *", duration: "-1h" }],
    ["is of an unknown place", { schedule: "0 2 * * *", duration: "1h", timeZone: "Mars/Olympus" }],
  ])("that %s never opens", (_problem, window) => {
    expect(windowStateAt([window], at("2026-06-10T02:00:00Z"))).toEqual({ isOpen: false, nextMs: undefined });
  });

  const minute = fc.integer({ min: 0, max: 59 });
  const hour = fc.integer({ min: 0, max: 23 });
  const windows = fc.record({
    schedule: fc.oneof(
      fc.tuple(minute, hour, fc.integer({ min: 0, max: 6 })).map(([m, h, day]) => `${m} ${h} * * ${day}`),
      fc.tuple(minute, hour, fc.integer({ min: 1, max: 28 })).map(([m, h, day]) => `${m} ${h} ${day} * *`),
      fc.tuple(minute, fc.integer({ min: 1, max: 12 })).map(([m, step]) => `${m} */${step} * * *`),
    ),
    duration: fc.integer({ min: 1, max: 3000 }).map((minutes) => `${minutes}m`),
    timeZone: fc.constantFrom("Etc/UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"),
  });
  const times = fc.integer({ min: at("2026-01-01T00:00:00Z"), max: at("2028-12-31T00:00:00Z") });

  it("opens at the next opening and not before, closes at its end and not before", () => {
    fc.assert(
      fc.property(fc.array(windows, { minLength: 1, maxLength: 3 }), times, (all, nowMs) => {
        const state = windowStateAt(all, nowMs);
        const isOpenAt = (ms: number): boolean => windowStateAt(all, ms).isOpen;
        if (state.isOpen) {
          expect(state.untilMs).toBeGreaterThan(nowMs);
          expect(isOpenAt(state.untilMs - 1)).toBe(true);
          expect(isOpenAt(Math.floor((nowMs + state.untilMs) / 2))).toBe(true);
        } else {
          const nextMs = state.nextMs ?? Number.NaN;
          expect(nextMs).toBeGreaterThan(nowMs);
          expect(isOpenAt(nextMs)).toBe(true);
          expect(isOpenAt(nextMs - 1)).toBe(false);
          expect(isOpenAt(Math.floor((nowMs + nextMs) / 2))).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("the problems of a restart window", () => {
  const problemsOf = (window: RestartWindow): readonly string[] =>
    windowProblems(window, at("2026-06-10T00:00:00Z")).map(({ field, message }) => `${field}: ${message}`);

  it("are none if it opens", () => {
    expect(problemsOf(berlin)).toEqual([]);
    expect(problemsOf({ schedule: "@hourly", duration: "1m" })).toEqual([]);
  });

  it.each<[RestartWindow, problem: string]>([
    [
      { schedule: "0 2 * *", duration: "1h" },
      'schedule: "0 2 * *" is no schedule: write the minute, hour, day, month and weekday, such as "0 2 * * 6", or @daily',
    ],
    [
      { schedule: "@every 1h", duration: "1h" },
      'schedule: "@every 1h" names no times of the day: write when the window opens, such as "0 2 * * *"',
    ],
    [
      { schedule: "TZ=Europe/Berlin 0 2 * * *", duration: "1h" },
      'schedule: the schedule "TZ=Europe/Berlin 0 2 * * *" has a time zone in it: write the time zone to its own field',
    ],
    [
      { schedule: "0 0 31 4 *", duration: "1h" },
      'schedule: the schedule "0 0 31 4 *" is never due: write a day that exists',
    ],
    [
      { schedule: "0 2 * * *", duration: "2 hours" },
      'duration: "2 hours" is no duration: write one such as 2h or 1h30m',
    ],
    [
      { schedule: "0 2 * * *", duration: "10ms" },
      "duration: a window of 10ms is too short: write at least 1s",
    ],
    [
      { schedule: "0 2 * * *", duration: "9000h" },
      "duration: a window of 9000h is longer than a year: write a shorter one, or no window",
    ],
    [
      { schedule: "0 2 * * *", duration: "1h", timeZone: "Berlin" },
      'timeZone: the time zone "Berlin" is not known: write a name such as Europe/Berlin, or Etc/UTC',
    ],
  ])("of %j are reported", (window, problem) => {
    expect(problemsOf(window)).toEqual([problem]);
  });

  it("are all reported", () => {
    expect(problemsOf({ schedule: "", duration: "", timeZone: "" })).toHaveLength(3);
  });
});
