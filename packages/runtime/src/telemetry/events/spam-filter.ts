import type { Clock } from "@keelson/core";
import { RecentMap } from "../../recent-map.ts";
import { spamKeyOf } from "./event-keys.ts";
import type { Occurrence } from "./occurrence.ts";

const burst = 25;
const refillMs = 300_000;
const mostObjects = 4096;

interface Bucket {
  readonly tokens: number;
  readonly countedMs: number;
}

/** Lets 25 events of a type about an object pass, and after that one every 5 minutes [EVR2]. */
export class SpamFilter {
  readonly #buckets = new RecentMap<string, Bucket>(mostObjects);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a token if there is one. */
  allows(occurrence: Occurrence): boolean {
    const key = spamKeyOf(occurrence);
    const nowMs = this.#clock.monotonicNow();
    const { tokens: before, countedMs } = this.#buckets.get(key) ?? { tokens: burst, countedMs: nowMs };
    const tokens = Math.min(burst, before + (nowMs - countedMs) / refillMs);
    const isAllowed = tokens >= 1;
    this.#buckets.set(key, { tokens: isAllowed ? tokens - 1 : tokens, countedMs: nowMs });
    return isAllowed;
  }
}
