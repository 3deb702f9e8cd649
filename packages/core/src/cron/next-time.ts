import type { CronSchedule } from "./cron-schedule.ts";
import { momentOf, offsetAt } from "./wall-time.ts";

const dayMs = 86_400_000;
/** A schedule such as the 30th of February never comes; the search ends after this. */
const longestSearchDays = 366 * 5;

/** The first moment after the given one that is due; undefined if there is none in five years. */
export function nextCronTime(schedule: CronSchedule, timeZone: string, afterMs: number): number | undefined {
  if (schedule.everyMs !== undefined) {
    return Math.floor((afterMs + schedule.everyMs) / 1000) * 1000;
  }
  const firstDay = Math.floor((afterMs + offsetAt(timeZone, afterMs)) / dayMs);
  for (let day = firstDay; day < firstDay + longestSearchDays; day++) {
    const date = new Date(day * dayMs);
    if (!isDue(schedule, date)) continue;
    const found = firstOnDay(schedule, timeZone, date, afterMs);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isDue({ months, days, weekdays, anyDay, anyWeekday }: CronSchedule, date: Date): boolean {
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const isDay = days.has(date.getUTCDate());
  const isWeekday = weekdays.has(date.getUTCDay());
  return anyDay || anyWeekday ? isDay && isWeekday : isDay || isWeekday;
}

function firstOnDay(
  { hours, minutes }: CronSchedule,
  timeZone: string,
  date: Date,
  afterMs: number,
): number | undefined {
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  const ordered = [...minutes].sort((a, b) => a - b);
  for (const hour of [...hours].sort((a, b) => a - b)) {
    // Whole hours that are over need no closer look; clocks differ by less than two days.
    const end = Date.UTC(year, month - 1, day, hour + 1) - offsetAt(timeZone, afterMs);
    if (end < afterMs - 7_200_000) continue;
    for (const minute of ordered) {
      const moment = momentOf(timeZone, { year, month, day, hour, minute });
      if (moment !== undefined && moment > afterMs) return moment;
    }
  }
  return undefined;
}
