const minuteMs = 60_000;

/** A duration for people, in the unit that suits it: `0.2 ms`, `14 ms`, `1.5 s`, `5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${rounded(ms)} ms`;
  return ms < 2 * minuteMs ? `${rounded(ms / 1000)} s` : `${rounded(ms / minuteMs)} min`;
}

/** One digit after the point below ten, none above. */
function rounded(value: number): string {
  return String(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));
}
