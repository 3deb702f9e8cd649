const unitSeconds: ReadonlyMap<string, number> = new Map([
  ["h", 3600],
  ["m", 60],
  ["s", 1],
  ["ms", 1e-3],
  ["us", 1e-6],
  ["µs", 1e-6],
  ["ns", 1e-9],
]);

/** How many seconds a duration such as `1h30m` has. Of what is no duration it has none. */
export function secondsOf(duration: string): number {
  let seconds = 0;
  for (const [, amount = "", unit = ""] of duration.matchAll(/([\d.]+)([a-zµ]+)/g))
    seconds += Number(amount) * (unitSeconds.get(unit) ?? 0);
  return seconds;
}

/** A whole number of seconds as Go writes durations: `1h0m5s`, `12s`. */
export function formatSeconds(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
