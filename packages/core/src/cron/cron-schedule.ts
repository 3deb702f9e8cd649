import { parseDurationMs } from "../duration.ts";

/** The times at which something is due, in the wall time of a place. */
export interface CronSchedule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** If both are given, a day is right if one of them is. */
  readonly anyDay: boolean;
  readonly anyWeekday: boolean;
  /** Set for `@every`: so many milliseconds after the last time. */
  readonly everyMs?: number;
}

const shorthands: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

const every = "@every ";
const monthNames = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const weekdayNames = "sun mon tue wed thu fri sat".split(" ");

/** Undefined if the text is none. The server takes only what can be read, so no reason is given here. */
export function parseCronSchedule(text: string): CronSchedule | undefined {
  if (text.startsWith(every)) return intervalSchedule(text.slice(every.length));
  const fields = (shorthands.get(text) ?? text).trim().split(/\s+/);
  if (fields.length !== 5) return undefined;
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields;
  const minutes = parseField(minute, { lowest: 0, highest: 59 });
  const hours = parseField(hour, { lowest: 0, highest: 23 });
  const days = parseField(day, { lowest: 1, highest: 31 });
  const months = parseField(month, { lowest: 1, highest: 12, names: monthNames });
  const weekdays = parseField(weekday, { lowest: 0, highest: 6, names: weekdayNames });
  if (minutes && hours && days && months && weekdays)
    return {
      ...{ minutes: minutes.values, hours: hours.values, months: months.values },
      ...{ days: days.values, anyDay: days.isAny },
      ...{ weekdays: weekdays.values, anyWeekday: weekdays.isAny },
    };
  return undefined;
}

function intervalSchedule(text: string): CronSchedule | undefined {
  const ms = parseDurationMs(text);
  if (ms === undefined) return undefined;
  // Whole seconds, and at least one.
  const everyMs = Math.max(1000, Math.floor(ms / 1000) * 1000);
  const none = new Set<number>();
  const fields = { minutes: none, hours: none, days: none, months: none, weekdays: none };
  return { ...fields, anyDay: true, anyWeekday: true, everyMs };
}

interface Bounds {
  readonly lowest: number;
  readonly highest: number;
  /** Of the values, from the lowest on. */
  readonly names?: readonly string[];
}

interface Field {
  readonly values: ReadonlySet<number>;
  /** It leaves the choice to the other of the two fields that choose the day. */
  readonly isAny: boolean;
}

/** Nothing between commas is nothing: a field may have no values, and the schedule no times. */
function parseField(field: string, bounds: Bounds): Field | undefined {
  const values = new Set<number>();
  let isAny = false;
  for (const part of field.split(",").filter((each) => each !== "")) {
    const range = parseRange(part, bounds);
    if (range === undefined) return undefined;
    for (let value = range.start; value <= range.end; value += range.step) values.add(value);
    // With a step, as in every second day, it is a choice like any other.
    isAny ||= range.isWhole && range.step === 1;
  }
  return { values, isAny };
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly isWhole: boolean;
}

function parseRange(part: string, { lowest, highest, names = [] }: Bounds): Range | undefined {
  const [span = "", stepText, ...moreSteps] = part.split("/");
  const [low = "", high, ...moreEnds] = span.split("-");
  const numbered = (text: string): number => {
    const index = names.indexOf(text.toLowerCase());
    return index === -1 ? numberOf(text) : index + lowest;
  };
  const isWhole = low === "*" || low === "?";
  const start = isWhole ? lowest : numbered(low);
  // `5/15` means from 5 on.
  const isOpen = isWhole || (high === undefined && stepText !== undefined);
  const end = isOpen ? highest : numbered(high ?? low);
  const step = stepText === undefined ? 1 : numberOf(stepText);
  const isSound = start >= lowest && end <= highest && start <= end && step > 0;
  const hasTooMany = moreSteps.length > 0 || (moreEnds.length > 0 && !isWhole);
  return isSound && !hasTooMany ? { start, end, step, isWhole } : undefined;
}

function numberOf(text: string): number {
  return /^\+?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
