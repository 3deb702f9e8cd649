import type { CronSchedule } from "./cron-schedule.ts";
import { offsetAt } from "./wall-time.ts";

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const minuteMs = 60_000;
/** A schedule such as the 30th of February never comes; the search ends with the year that is so much later. */
const longestSearchYears = 5;

/** The first moment after the given one that is due; undefined if there is none in five years. */
export function nextCronTime(schedule: CronSchedule, timeZone: string, afterMs: number): number | undefined {
  if (schedule.everyMs !== undefined) {
    return Math.floor((afterMs + schedule.everyMs) / 1000) * 1000;
  }
  const firstDay = Math.floor((afterMs + offsetAt(timeZone, afterMs)) / dayMs);
  const lastYear = new Date(firstDay * dayMs).getUTCFullYear() + longestSearchYears;
  for (let date = new Date(firstDay * dayMs); date.getUTCFullYear() <= lastYear; date = dayAfter(date)) {
    if (!isDue(schedule, date)) continue;
    const found = firstOnDay(schedule, timeZone, date.getTime(), afterMs);
    if (found !== undefined) return found;
  }
  return undefined;
}

function dayAfter(date: Date): Date {
  return new Date(date.getTime() + dayMs);
}

function isDue({ months, days, weekdays, anyDay, anyWeekday }: CronSchedule, date: Date): boolean {
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const isDay = days.has(date.getUTCDate());
  const isWeekday = weekdays.has(date.getUTCDay());
  return anyDay || anyWeekday ? isDay && isWeekday : isDay || isWeekday;
}

/**
 * Where the clocks are changed, a time of the day may never come, as in spring, or come twice, as in autumn: then it is
 * due twice, so that what runs every few minutes does not rest for an hour. The day is given by when it begins in UTC.
 */
function firstOnDay(
  schedule: CronSchedule,
  timeZone: string,
  day: number,
  afterMs: number,
): number | undefined {
  const times = timesOfDay(schedule);
  if (times.length === 0) return undefined;
  // Clocks are ahead or behind by less than a day, so that these are the clocks before and after any change on it.
  const before = offsetAt(timeZone, day - dayMs);
  const after = offsetAt(timeZone, day + 2 * dayMs);
  const momentsBy = (offset: number): readonly number[] =>
    times.map((time) => day + time - offset).filter((moment) => moment > afterMs);
  if (before === after) return momentsBy(before)[0];
  return [before, after]
    .flatMap((offset) => momentsBy(offset).map((moment) => ({ moment, offset })))
    .sort((a, b) => a.moment - b.moment)
    .find(({ moment, offset }) => offsetAt(timeZone, moment) === offset)?.moment;
}

/** The times of a day, in order, in milliseconds since it began. */
function timesOfDay({ hours, minutes }: CronSchedule): readonly number[] {
  const ordered = [...minutes].sort((a, b) => a - b);
  return [...hours]
    .sort((a, b) => a - b)
    .flatMap((hour) => ordered.map((minute) => hour * hourMs + minute * minuteMs));
}
