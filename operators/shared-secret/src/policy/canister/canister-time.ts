import { formatTime } from "keelson";

/**
 * A time of a canister as RFC 3339: it may be RFC 3339, an HTTP date, or nanoseconds or seconds since 1970. Undefined for
 * any other text.
 */
export function readCanisterTime(text: string): string | undefined {
  const ms = timeMs(text);
  return ms > 0 ? formatTime(ms) : undefined;
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)$/i;
const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

function timeMs(text: string): number {
  if (timestamp.test(text) || httpDate.test(text)) return Date.parse(text);
  if (!/^\d{1,19}$/.test(text)) return Number.NaN;
  // Nanoseconds have had 18 digits or more since September 1973; seconds have 11 until the year 5138.
  if (text.length > 17) return Number(BigInt(text) / 1_000_000n);
  return text.length <= 11 ? Number(text) * 1000 : Number.NaN;
}
