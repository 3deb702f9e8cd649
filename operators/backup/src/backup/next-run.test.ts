import { formatTime } from "keelson";
import type { CronJob } from "keelson/kinds/batch/v1";
import { describe, expect, it } from "vitest";
import { backUp } from "../../test/support/objects.ts";
import { isNeverDue, nextRunMs } from "./next-run.ts";

const nowMs = Date.UTC(2026, 0, 1, 12);

function cronJob(schedule: string, timeZone: string, lastScheduleTime?: string): CronJob {
  const template = { spec: { containers: [] } };
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "job-mine", creationTimestamp: "2026-01-01T09:20:00Z" },
    spec: { schedule, timeZone, jobTemplate: { spec: { template } } },
    status: lastScheduleTime === undefined ? {} : { lastScheduleTime },
  };
}

function nextOf(actual: CronJob | undefined, spec: object = {}): string | undefined {
  const desired = backUp({ image: "backup:1", schedule: "@daily", ...spec });
  const nextMs = nextRunMs(desired.spec, actual, nowMs);
  return nextMs === undefined ? undefined : formatTime(nextMs);
}

describe("the next run", () => {
  it("is due by the clock of the time zone", () => {
    expect(nextOf(cronJob("30 2 * * *", "Europe/Berlin"))).toBe("2026-01-02T01:30:00Z");
    expect(nextOf(cronJob("30 2 * * *", "Mars/Olympus"))).toBeUndefined();
  });

  it("of an interval is due one interval after the last run, at any time of the computation", () => {
    expect(nextOf(cronJob("@every 1h", "Etc/UTC"))).toBe("2026-01-01T12:20:00Z");
    expect(nextOf(cronJob("@every 1h", "Etc/UTC", "2026-01-01T11:45:10Z"))).toBe("2026-01-01T12:45:10Z");
    expect(nextOf(cronJob("@every 1h", "Etc/UTC", "2026-01-01T12:00:05Z"))).toBe("2026-01-01T13:00:05Z");
  });

  it("is undefined while the CronJob is suspended, without a CronJob, and if the schedule is never due", () => {
    const { spec, ...rest } = cronJob("@daily", "Etc/UTC");
    expect(nextOf({ ...rest, spec: { ...spec, suspend: true } })).toBeUndefined();
    // The server has refused to suspend it.
    expect(nextOf(cronJob("@daily", "Etc/UTC"), { suspend: true })).toBe("2026-01-02T00:00:00Z");
    expect(nextOf(undefined)).toBeUndefined();
    expect(nextOf(cronJob("0 3 31 2 *", "Etc/UTC"))).toBeUndefined();
  });
});

it.each([
  ["0 3 31 2 *", true],
  ["0 3 29 2 *", false],
  ["0 3 31 2 MON", false],
  ["@every 90000h", false],
  ["61 * * * *", false],
])(
  "finds out whether a schedule is never due, which does not hold for an invalid one: %s",
  (schedule, isNever) => {
    expect(isNeverDue(schedule, nowMs)).toBe(isNever);
  },
);
