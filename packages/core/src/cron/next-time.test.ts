import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCronSchedule } from "./cron-schedule.ts";
import { nextCronTime } from "./next-time.ts";
import { formatTimeIn, isKnownTimeZone } from "./wall-time.ts";

function times(text: string, from: string, count: number, timeZone = "UTC"): readonly string[] {
  const schedule = parseCronSchedule(text);
  if (schedule === undefined) throw new Error(`${text} cannot be read`);
  const found: string[] = [];
  let time = Date.parse(from);
  for (let round = 0; round < count; round++) {
    const next = nextCronTime(schedule, timeZone, time);
    if (next === undefined) break;
    found.push(formatTimeIn(timeZone, next));
    time = next;
  }
  return found;
}

describe("the times of a schedule", () => {
  it.each([
    ["*/20 * * * *", ["2026-01-01T00:20:00Z", "2026-01-01T00:40:00Z", "2026-01-01T01:00:00Z"]],
    ["@hourly", ["2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z", "2026-01-01T03:00:00Z"]],
    ["30 8-9 * * MON-FRI", ["2026-01-01T08:30:00Z", "2026-01-01T09:30:00Z", "2026-01-02T08:30:00Z"]],
    ["0 0 29 2 *", ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z", "2036-02-29T00:00:00Z"]],
    ["0 0 13 * FRI", ["2026-01-02T00:00:00Z", "2026-01-09T00:00:00Z", "2026-01-13T00:00:00Z"]],
    ["@yearly", ["2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z", "2029-01-01T00:00:00Z"]],
    ["@every 90m", ["2026-01-01T01:30:00Z", "2026-01-01T03:00:00Z", "2026-01-01T04:30:00Z"]],
    ["@every 1.5h", ["2026-01-01T01:30:00Z", "2026-01-01T03:00:00Z", "2026-01-01T04:30:00Z"]],
    ["@every 1m1500ms", ["2026-01-01T00:01:01Z", "2026-01-01T00:02:02Z", "2026-01-01T00:03:03Z"]],
    ["@every 10ms", ["2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z", "2026-01-01T00:00:03Z"]],
    ["1,,+2 0 */01 * THU", ["2026-01-01T00:01:00Z", "2026-01-01T00:02:00Z", "2026-01-08T00:01:00Z"]],
    ["5/25 0 1 jan ?", ["2026-01-01T00:05:00Z", "2026-01-01T00:30:00Z", "2026-01-01T00:55:00Z"]],
  ])("of %s are as cron has them", (text, expected) => {
    expect(times(text, "2026-01-01T00:00:00Z", 3)).toEqual(expected);
  });

  it("are those on the clocks of the place, also when the clocks change", () => {
    expect(times("30 2 * * *", "2026-03-28T00:00:00Z", 3, "Europe/Berlin")).toEqual([
      "2026-03-28T02:30:00+01:00",
      "2026-03-30T02:30:00+02:00",
      "2026-03-31T02:30:00+02:00",
    ]);
    expect(times("0 9 * * *", "2026-10-31T12:00:00Z", 2, "America/New_York")).toEqual([
      "2026-10-31T09:00:00-04:00",
      "2026-11-01T09:00:00-05:00",
    ]);
  });

  it("come twice where the clocks show them twice", () => {
    expect(times("0 * * * *", "2026-10-24T23:30:00Z", 4, "Europe/Berlin")).toEqual([
      "2026-10-25T02:00:00+02:00",
      "2026-10-25T02:00:00+01:00",
      "2026-10-25T03:00:00+01:00",
      "2026-10-25T04:00:00+01:00",
    ]);
    expect(times("45 1 * * *", "2026-04-04T00:00:00Z", 3, "Australia/Lord_Howe")).toEqual([
      "2026-04-05T01:45:00+11:00",
      "2026-04-05T01:45:00+10:30",
      "2026-04-06T01:45:00+10:30",
    ]);
  });

  it("end where there are none", () => {
    for (const text of ["0 0 30 2 *", "0 0 31 4,6 *", ", * * * *"])
      expect(times(text, "2026-01-01T00:00:00Z", 1)).toEqual([]);
  });

  it("come after each other for any schedule that can be read", () => {
    const field = fc.stringMatching(/^[*?0-9,/-]{1,5}$/);
    fc.assert(
      fc.property(
        fc.tuple(field, field, field, field, field),
        fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }),
        (fields, from) => {
          const schedule = parseCronSchedule(fields.join(" "));
          if (schedule === undefined) return;
          const next = nextCronTime(schedule, "UTC", from.getTime());
          if (next !== undefined) expect(next).toBeGreaterThan(from.getTime());
        },
      ),
      { numRuns: 200 },
    );
  });

  it("are not read from what is no schedule", () => {
    const fields = ["", "* * * *", "60 * * * *", "* * * * 8", "5-1 * * * *", "*/0 * * * *", "1-2-3 * * * *"];
    const others = ["@never", " @daily", "@every", "@every 1", "@every 1d", "constructor", "__proto__"];
    for (const text of [...fields, ...others]) {
      expect(parseCronSchedule(text)).toBeUndefined();
    }
  });

  it("need a place that is known", () => {
    expect(isKnownTimeZone("Europe/Berlin")).toBe(true);
    expect(isKnownTimeZone("Mars/Olympus")).toBe(false);
  });
});
