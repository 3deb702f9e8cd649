/** How many reloads of one workload in which time open its circuit breaker. */
export interface CircuitBreaker {
  /** 0: it never opens. */
  readonly reloads: number;
  readonly periodMs: number;
}

/**
 * Until when the circuit breaker of a workload is open; undefined if it is closed. So many reloads within the period open it,
 * and it closes when the period has passed since the last one: a workload whose resources change all the time rests between
 * bursts, and the changes of that time are rolled out together.
 */
export function circuitOpenUntil(
  recentReloads: readonly string[],
  { reloads, periodMs }: CircuitBreaker,
  nowMs: number,
): number | undefined {
  if (reloads <= 0) return undefined;
  const times = sortedTimes(recentReloads, nowMs + periodMs).slice(-reloads);
  const [firstMs] = times;
  const lastMs = times.at(-1);
  if (times.length < reloads || firstMs === undefined || lastMs === undefined) return undefined;
  const untilMs = lastMs + periodMs;
  return lastMs - firstMs < periodMs && untilMs > nowMs ? untilMs : undefined;
}

/** The recorded times with that of a reload: no more than the circuit breaker counts. */
export function withReload(
  recentReloads: readonly string[],
  time: string,
  { reloads, periodMs }: CircuitBreaker,
): readonly string[] {
  const nowMs = Date.parse(time);
  const oldestMs = nowMs - periodMs;
  return [...sortedTimes(recentReloads, nowMs).filter((ms) => ms > oldestMs && ms !== nowMs), nowMs]
    .slice(-Math.max(1, reloads))
    .map((ms) => new Date(ms).toISOString());
}

/** Ascending, without later ones, which a clock wrote that was ahead. */
function sortedTimes(times: readonly string[], latestMs: number): readonly number[] {
  return times
    .map((time) => Date.parse(time))
    .filter((ms) => ms <= latestMs)
    .sort((a, b) => a - b);
}
