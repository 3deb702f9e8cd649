const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** A duration as tables print it, with two or three figures: `45s`, `5m2s`, `3h`, `4d11h`, `2y`. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / second);
  // Clocks may differ a little.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(ms / minute);
  if (minutes < 10) return `${minutes}m${rest(seconds % 60, "s")}`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(ms / hour);
  if (hours < 8) return `${hours}h${rest(minutes % 60, "m")}`;
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return `${days}d${rest(hours % 24, "h")}`;
  if (days < 2 * 365) return `${days}d`;
  const years = Math.trunc(days / 365);
  return hours < 24 * 365 * 8 ? `${years}y${rest(days % 365, "d")}` : `${years}y`;
}

/** How long ago a timestamp is; `<unknown>` if there is none. */
export function ageSince(timestamp: string | null | undefined, now: number): string {
  if (timestamp === undefined || timestamp === null) return "<unknown>";
  return humanDuration(now - Date.parse(timestamp));
}

function rest(count: number, unit: string): string {
  return count === 0 ? "" : `${count}${unit}`;
}
