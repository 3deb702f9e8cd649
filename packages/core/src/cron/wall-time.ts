/** The time on the clocks of a place. */
export interface WallTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far the clocks of a place are ahead of UTC at a moment, in milliseconds. */
export function offsetAt(timeZone: string, ms: number): number {
  if (timeZone === "UTC") return 0;
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const wall = Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
  return wall - Math.floor(ms / 1000) * 1000;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(timeZone, format);
  return format;
}

/** Whether the platform knows the place. */
export function isKnownTimeZone(timeZone: string): boolean {
  try {
    formatOf(timeZone);
    return true;
  } catch {
    // It says so by a RangeError only.
    return false;
  }
}

/**
 * The moment at which the clocks of a place show a time; undefined if they never do, as in the hour that is skipped in
 * spring. In the hour that comes twice in autumn, the first time.
 */
export function momentOf(timeZone: string, { year, month, day, hour, minute }: WallTime): number | undefined {
  const asUtc = Date.UTC(year, month - 1, day, hour, minute);
  const before = asUtc - offsetAt(timeZone, asUtc - 86_400_000);
  if (before + offsetAt(timeZone, before) === asUtc) return before;
  const after = asUtc - offsetAt(timeZone, asUtc + 86_400_000);
  return after + offsetAt(timeZone, after) === asUtc ? after : undefined;
}

/** RFC 3339 in the time of the place: `2026-01-01T09:00:00+01:00`. */
export function formatTimeIn(timeZone: string, ms: number): string {
  const offset = offsetAt(timeZone, ms);
  const wall = new Date(ms + offset).toISOString().slice(0, 19);
  if (offset === 0) return `${wall}Z`;
  const minutes = Math.abs(offset) / 60_000;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  return `${wall}${offset < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}
