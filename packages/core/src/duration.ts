const nanosecondsPer: ReadonlyMap<string, bigint> = new Map([
  ["h", 3_600_000_000_000n],
  ["m", 60_000_000_000n],
  ["s", 1_000_000_000n],
  ["ms", 1_000_000n],
  ["us", 1_000n],
  ["µs", 1_000n],
  ["μs", 1_000n],
  ["ns", 1n],
]);

const unit = "(ns|us|µs|μs|ms|s|m|h)";
const whole = new RegExp(`^(?:(?:\\d+(?:\\.\\d*)?|\\.\\d+)${unit})+$`);
const part = new RegExp(`(\\d*)\\.?(\\d*)${unit}`, "g");
/** More digits of a fraction than the nanoseconds of an hour have. */
const fractionDigits = 13;

/** Nanoseconds of a duration as Go writes it, such as `1h30m` or `-1.5s`; undefined for other texts. */
export function parseDuration(text: string): bigint | undefined {
  const size = text.replace(/^[+-]/, "");
  if (size === "0") return 0n;
  if (!whole.test(size)) return undefined;
  let total = 0n;
  for (const [, count = "", fraction = "", symbol = ""] of size.matchAll(part)) {
    const nanoseconds = nanosecondsPer.get(symbol) ?? 0n;
    const digits = fraction.slice(0, fractionDigits);
    total += BigInt(count) * nanoseconds + (BigInt(digits) * nanoseconds) / 10n ** BigInt(digits.length);
  }
  return text.startsWith("-") ? -total : total;
}

/** The same in milliseconds, which need not be whole. */
export function parseDurationMs(text: string): number | undefined {
  const nanoseconds = parseDuration(text);
  return nanoseconds === undefined ? undefined : Number(nanoseconds) / 1e6;
}

/** Whole milliseconds, not less than 0, as Go writes them: `250ms`, `12s`, `1m30.5s`, `1h0m5s`. */
export function formatDurationMs(ms: number): string {
  if (ms > 0 && ms < 1000) return `${ms}ms`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = `${(ms % 60_000) / 1000}s`;
  if (minutes === 0) return seconds;
  return minutes < 60 ? `${minutes}m${seconds}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}
