import { parseDurationMs } from "keelson";
import { type CronSchedule, isKnownTimeZone, nextCronTime, parseCronSchedule } from "keelson/low-level";
import type { RestartWindow } from "../decision/reload-policy.ts";

const defaultTimeZone = "Etc/UTC";
const shortestMs = 1000;
const longestMs = 366 * 24 * 3_600_000;
/** How many occurrences are joined to find the end of a window. */
const joinedOccurrences = 16;

/** Whether a window is open at a time. An occurrence includes its first moment and excludes its last. */
export type WindowState =
  | {
      readonly isOpen: true;
      /**
       * When it closes. Occurrences that overlap or touch are one; of a window that is always open, this is a time before
       * which it does not close.
       */
      readonly untilMs: number;
    }
  | {
      readonly isOpen: false;
      /** When it opens; undefined if it never does. */
      readonly nextMs: number | undefined;
    };

/** What is wrong with a window, and what to write instead. */
export interface WindowProblem {
  readonly field: keyof RestartWindow;
  readonly message: string;
}

/**
 * What keeps a window from opening; empty if nothing does. `nowMs` is the time from which on the schedule has to be due: one
 * for the 30th of February never is.
 */
export function windowProblems(
  { schedule, duration, timeZone = defaultTimeZone }: RestartWindow,
  nowMs: number,
): readonly WindowProblem[] {
  const isZoneKnown = isKnownTimeZone(timeZone);
  const problems: [keyof RestartWindow, string | undefined][] = [
    ["schedule", scheduleProblem(schedule, isZoneKnown ? timeZone : defaultTimeZone, nowMs)],
    ["duration", durationProblem(duration)],
    [
      "timeZone",
      isZoneKnown
        ? undefined
        : `the time zone ${quote(timeZone)} is not known: write a name such as Europe/Berlin, or Etc/UTC`,
    ],
  ];
  return problems.flatMap(([field, message]) => (message === undefined ? [] : [{ field, message }]));
}

/**
 * Whether one of the windows is open. Without windows it is always open. A window with problems never opens, so that a typing
 * error does not restart pods at a forbidden time.
 */
export function windowStateAt(windows: readonly RestartWindow[], nowMs: number): WindowState {
  if (windows.length === 0) return { isOpen: true, untilMs: Number.POSITIVE_INFINITY };
  const parsed = windows.flatMap((window) => parseWindow(window) ?? []);
  const untilMs = parsed.reduce((latestMs, window) => Math.max(latestMs, endAfter(window, nowMs)), nowMs);
  if (untilMs > nowMs) return { isOpen: true, untilMs: joinedEnd(parsed, untilMs) };
  const openings = parsed.flatMap((window) => nextOpening(window, nowMs) ?? []);
  return { isOpen: false, nextMs: openings.length === 0 ? undefined : Math.min(...openings) };
}

interface ParsedWindow {
  readonly schedule: CronSchedule;
  readonly timeZone: string;
  readonly lengthMs: number;
}

function parseWindow({
  schedule,
  duration,
  timeZone = defaultTimeZone,
}: RestartWindow): ParsedWindow | undefined {
  const parsed = parseCronSchedule(schedule);
  if (parsed === undefined || parsed.everyMs !== undefined) return undefined;
  if (durationProblem(duration) !== undefined || !isKnownTimeZone(timeZone)) return undefined;
  return { schedule: parsed, timeZone, lengthMs: parseDurationMs(duration) ?? 0 };
}

/** The first moment after the given one at which an occurrence begins. */
function nextOpening({ schedule, timeZone }: ParsedWindow, afterMs: number): number | undefined {
  return nextCronTime(schedule, timeZone, afterMs);
}

/** The end of the first occurrence that has not ended at a time, if it has begun; otherwise that time. */
function endAfter(window: ParsedWindow, atMs: number): number {
  const startMs = nextOpening(window, atMs - window.lengthMs);
  return startMs === undefined || startMs > atMs ? atMs : startMs + window.lengthMs;
}

/** The end of the occurrences that follow one another without a gap. */
function joinedEnd(windows: readonly ParsedWindow[], firstEndMs: number): number {
  let endMs = firstEndMs;
  for (let joined = 0; joined < joinedOccurrences; joined++) {
    const laterMs = windows.reduce((latestMs, window) => Math.max(latestMs, endAfter(window, endMs)), endMs);
    if (laterMs === endMs) return endMs;
    endMs = laterMs;
  }
  return endMs;
}

function scheduleProblem(text: string, timeZone: string, nowMs: number): string | undefined {
  if (/^(CRON_)?TZ=/.test(text))
    return `the schedule ${quote(text)} has a time zone in it: write the time zone to its own field`;
  const schedule = parseCronSchedule(text);
  if (schedule === undefined)
    return `${quote(text)} is no schedule: write the minute, hour, day, month and weekday, such as "0 2 * * 6", or @daily`;
  if (schedule.everyMs !== undefined)
    return `${quote(text)} names no times of the day: write when the window opens, such as "0 2 * * *"`;
  return nextCronTime(schedule, timeZone, nowMs) === undefined
    ? `the schedule ${quote(text)} is never due: write a day that exists`
    : undefined;
}

function durationProblem(text: string): string | undefined {
  const ms = parseDurationMs(text);
  if (ms === undefined) return `${quote(text)} is no duration: write one such as 2h or 1h30m`;
  if (ms < shortestMs) return `a window of ${text} is too short: write at least 1s`;
  return ms > longestMs
    ? `a window of ${text} is longer than a year: write a shorter one, or no window`
    : undefined;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
