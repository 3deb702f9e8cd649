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

const shorthands: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

const monthNames = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const weekdayNames = "sun mon tue wed thu fri sat".split(" ");

/** Undefined if the text is none. The server takes only what can be read, so no reason is given here. */
export function parseCronSchedule(text: string): CronSchedule | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith("@every ")) return parseInterval(trimmed.slice("@every ".length));
  const fields = (shorthands[trimmed] ?? trimmed).split(/\s+/);
  if (fields.length !== 5) return undefined;
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields;
  const minutes = parseField(minute, 0, 59);
  const hours = parseField(hour, 0, 23);
  const days = parseField(day, 1, 31);
  const months = parseField(month, 1, 12, monthNames, 1);
  const weekdays = parseField(weekday, 0, 6, weekdayNames, 0);
  if (minutes && hours && days && months && weekdays) {
    return { minutes, hours, days, months, weekdays, anyDay: isAny(day), anyWeekday: isAny(weekday) };
  }
  return undefined;
}

// With a step, as in every second day, it is a choice like any other.
function isAny(field: string): boolean {
  return field.split(",").some((part) => /^[*?](\/1)?$/.test(part));
}

const unitsMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };

function parseInterval(text: string): CronSchedule | undefined {
  if (!/^(\d+[hms])+$/.test(text)) return undefined;
  let everyMs = 0;
  for (const [, amount, unit = ""] of text.matchAll(/(\d+)([hms])/g))
    everyMs += Number(amount) * (unitsMs[unit] ?? 0);
  const none = new Set<number>();
  const rest = {
    minutes: none,
    hours: none,
    days: none,
    months: none,
    weekdays: none,
    anyDay: true,
    anyWeekday: true,
  };
  return { ...rest, everyMs: Math.max(1000, everyMs) };
}

function parseField(
  field: string,
  lowest: number,
  highest: number,
  names: readonly string[] = [],
  firstName = 0,
): ReadonlySet<number> | undefined {
  const values = new Set<number>();
  const numberOf = (text: string): number => {
    const named = names.indexOf(text.toLowerCase());
    if (named !== -1) return named + firstName;
    return /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  };
  for (const part of field.split(",")) {
    const match = /^([^/]+)(?:\/(\d{1,4}))?$/.exec(part);
    if (match === null) return undefined;
    const [, range = "", stepText] = match;
    const [low = "", high] = range.split("-");
    const isWhole = low === "*" || low === "?";
    const start = isWhole ? lowest : numberOf(low);
    // `5/15` means from 5 on.
    const end = isWhole || (high === undefined && stepText !== undefined) ? highest : numberOf(high ?? low);
    const step = stepText === undefined ? 1 : Number(stepText);
    if (!(start >= lowest && end <= highest && start <= end && step > 0)) return undefined;
    for (let value = start; value <= end; value += step) values.add(value);
  }
  return values;
}
