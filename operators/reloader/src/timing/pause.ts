/**
 * Until when changes of a workload wait because of its pause period; undefined if they do not. The first change is rolled out
 * at once, those within the period after it wait, and are rolled out together when it is over. A time of the last reload that
 * is further ahead than the period was written by a wrong clock, and is ignored.
 */
export function pausedUntil(
  lastReload: string | undefined,
  periodMs: number | undefined,
  nowMs: number,
): number | undefined {
  if (lastReload === undefined || periodMs === undefined) return undefined;
  const lastMs = Date.parse(lastReload);
  const untilMs = lastMs + periodMs;
  return untilMs > nowMs && lastMs <= nowMs + periodMs ? untilMs : undefined;
}
