import type { UnfinishedWork } from "./queue-observer.ts";

/** The keys that workers have now, each at most once, and since when. */
export class Processing {
  readonly #startedMs: Map<string, number> = new Map();

  get size(): number {
    return this.#startedMs.size;
  }

  has(key: string): boolean {
    return this.#startedMs.has(key);
  }

  start(key: string, nowMs: number): void {
    this.#startedMs.set(key, nowMs);
  }

  /** How long the work took; undefined if no worker had the key. */
  end(key: string, nowMs: number): number | undefined {
    const startedMs = this.#startedMs.get(key);
    if (startedMs === undefined) return undefined;
    this.#startedMs.delete(key);
    return nowMs - startedMs;
  }

  unfinished(nowMs: number): Omit<UnfinishedWork, "oldestReadyMs"> {
    let totalMs = 0;
    let longestMs = 0;
    for (const startedMs of this.#startedMs.values()) {
      const ageMs = nowMs - startedMs;
      totalMs += ageMs;
      if (ageMs > longestMs) longestMs = ageMs;
    }
    return { totalMs, longestMs };
  }
}
