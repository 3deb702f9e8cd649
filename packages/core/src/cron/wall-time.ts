const formats = new Map<string, Intl.DateTimeFormat>();

/** How far the clocks of a place are ahead of UTC at a moment, in milliseconds. */
export function offsetAt(timeZone: string, ms: number): number {
  if (timeZone === "UTC" || timeZone === "Etc/UTC") return 0;
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
    // Intl reports an unknown time zone by a RangeError only.
    return false;
  }
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
