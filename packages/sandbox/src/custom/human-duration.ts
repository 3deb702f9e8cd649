const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** How long something took or is ago, in two or three digits, as kubectl shows it: `45s`, `3m20s`, `2d3h`, `5y`. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / second);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (ms < 2 * minute) return `${seconds}s`;
  if (ms < 10 * minute) return pair(ms, minute, "m", second, "s");
  if (ms < 3 * hour) return `${Math.trunc(ms / minute)}m`;
  if (ms < 8 * hour) return pair(ms, hour, "h", minute, "m");
  if (ms < 2 * day) return `${Math.trunc(ms / hour)}h`;
  if (ms < 8 * day) return pair(ms, day, "d", hour, "h");
  if (ms < 2 * year) return `${Math.trunc(ms / day)}d`;
  return ms < 8 * year ? pair(ms, year, "y", day, "d") : `${Math.trunc(ms / year)}y`;
}

function pair(ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.trunc((ms % large) / small);
  return `${Math.trunc(ms / large)}${largeUnit}${rest === 0 ? "" : `${rest}${smallUnit}`}`;
}
