const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** How long something has been there, in at most four characters for the first 999 days. */
export function formatAge(ageMs: number): string {
  const seconds = Math.max(0, Math.floor(ageMs / 1_000));
  if (seconds < 2 * minute) return `${seconds}s`;
  if (seconds < 2 * hour) return `${Math.floor(seconds / minute)}m`;
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)}h`;
  return `${Math.floor(seconds / day)}d`;
}

/** How long something took, such as `3.4 s`. */
export function formatTook(tookMs: number): string {
  return `${(tookMs / 1_000).toFixed(1)} s`;
}
