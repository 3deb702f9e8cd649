import type { CronJob } from "keelson/kinds/batch/v1";
import { type CronSchedule, isKnownTimeZone, nextCronTime, parseCronSchedule } from "keelson/low-level";
import type { BackUpSpec } from "../api/spec.ts";
import { defaultTimeZone } from "./resources/cron-job.ts";

/**
 * When the schedule is due next, in milliseconds since 1970; undefined if no run will start. It is computed from the actual
 * CronJob, which differs from the desired one if the server refused that.
 */
export function nextRunMs(
  { schedule: desired }: BackUpSpec,
  cronJob: CronJob | undefined,
  nowMs: number,
): number | undefined {
  const { schedule, suspend, timeZone = defaultTimeZone } = cronJob?.spec ?? {};
  if (desired === undefined || cronJob === undefined || schedule === undefined) return undefined;
  // The operator suspends the CronJob also while another run has to finish first.
  if (suspend === true) return undefined;
  const parsed = isKnownTimeZone(timeZone) ? parseCronSchedule(schedule) : undefined;
  return parsed === undefined ? undefined : nextCronTime(parsed, timeZone, lastMs(parsed, cronJob, nowMs));
}

/** Whether a schedule is never due, such as on the 30th of February. */
export function isNeverDue(schedule: string, nowMs: number): boolean {
  const parsed = parseCronSchedule(schedule);
  return parsed !== undefined && nextCronTime(parsed, defaultTimeZone, nowMs) === undefined;
}

/** The time after which the next run is searched: an interval is counted from the last run, or from the creation. */
function lastMs({ everyMs }: CronSchedule, { metadata, status }: CronJob, nowMs: number): number {
  if (everyMs === undefined) return nowMs;
  const startMs = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp ?? "");
  return startMs + Math.max(0, Math.floor((nowMs - startMs) / everyMs)) * everyMs;
}
