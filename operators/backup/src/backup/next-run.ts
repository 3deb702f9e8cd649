import { isKnownTimeZone, nextCronTime, parseCronSchedule } from "keelson";
import type { BackUpSpec } from "../api/spec.ts";
import { defaultTimeZone } from "./resources/cron-job.ts";

/** When the schedule is due next, in milliseconds since 1970; undefined if nothing will start by itself. */
export function nextRunMs(spec: BackUpSpec, nowMs: number): number | undefined {
  const { schedule, timeZone = defaultTimeZone, suspend } = spec;
  if (schedule === undefined || suspend || !isKnownTimeZone(timeZone)) return undefined;
  const parsed = parseCronSchedule(schedule);
  return parsed === undefined ? undefined : nextCronTime(parsed, timeZone, nowMs);
}
