import type { Clock } from "@keelson/core";

/** How often something that fails may be tried again: at once, then after 1 s, 2 s and so on, up to 15 minutes. */
export interface RemovalDelays {
  /** 0 if it may be tried now, which then counts; else how long to wait. */
  take(key: string): number;
}

const firstMs = 1000;
const longestMs = 900_000;

export function createRemovalDelays(clock: Clock): RemovalDelays {
  const entries = new Map<string, { readonly delayMs: number; readonly atMs: number }>();
  return {
    take(key) {
      const now = clock.monotonicNow();
      const entry = entries.get(key);
      if (entry !== undefined && now < entry.atMs + entry.delayMs) return entry.atMs + entry.delayMs - now;
      // After a long quiet time, it begins anew.
      const isFresh = entry === undefined || now > entry.atMs + 2 * longestMs;
      entries.set(key, { delayMs: isFresh ? firstMs : Math.min(entry.delayMs * 2, longestMs), atMs: now });
      for (const [other, { atMs }] of entries) if (now > atMs + 2 * longestMs) entries.delete(other);
      return 0;
    },
  };
}
