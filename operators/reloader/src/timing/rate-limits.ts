import type { ReloaderSettings } from "../settings.ts";
import { formatWorkload, type WorkloadRef } from "../workload/workload-kind.ts";

/** So many reloads at once, and so many in a minute after that. */
export interface RateLimit {
  readonly perMinute: number;
  readonly burst: number;
}

/** The limits of all workloads; an absent one does not limit. */
export interface RateLimitSettings {
  readonly global?: RateLimit | undefined;
  readonly perNamespace?: RateLimit | undefined;
}

/** At once a tenth of what a minute allows, and the rest spread over the minute; undefined for 0, which is no limit. */
function spreadOverMinute(perMinute: number): RateLimit | undefined {
  return perMinute > 0 ? { perMinute, burst: Math.ceil(perMinute / 10) } : undefined;
}

/** The limits that the settings choose. */
export function rateLimitsOf(
  chosen: Pick<ReloaderSettings, "maxReloadsPerMinute" | "maxReloadsPerMinutePerNamespace">,
): RateLimits {
  return new RateLimits({
    global: spreadOverMinute(chosen.maxReloadsPerMinute),
    perNamespace: spreadOverMinute(chosen.maxReloadsPerMinutePerNamespace),
  });
}

/** How long a turn is kept for a workload that does not come for it. */
const unusedTurnMs = 60_000;
/** After so many calls, what is not needed any more is removed. */
const callsBetweenSweeps = 1024;

interface Turn {
  readonly of: "namespace" | "global";
  readonly atMs: number;
}

function isUnused({ atMs }: Turn, nowMs: number): boolean {
  return atMs + unusedTurnMs < nowMs;
}

/**
 * The limits for reloads of all workloads, in memory. A workload over a limit gets a turn in the order of asking, and is not
 * overtaken by those that ask later. It waits for its namespace first, and then for the global limit, so that a namespace over
 * its limit uses nothing of the global one.
 */
export class RateLimits {
  readonly #settings: RateLimitSettings;
  readonly #global: TokenBucket | undefined;
  readonly #namespaces = new Map<string, TokenBucket>();
  readonly #turns = new Map<string, Turn>();
  #lastMs = Number.NEGATIVE_INFINITY;
  #calls = 0;

  constructor(settings: RateLimitSettings) {
    this.#settings = settings;
    this.#global = settings.global && new TokenBucket(settings.global);
  }

  /** 0 if the workload may be reloaded now, which is then counted; otherwise after how many milliseconds to ask again. */
  take(workload: WorkloadRef, nowMs: number): number {
    this.#keepTime(nowMs);
    const key = formatWorkload(workload);
    const known = this.#turns.get(key);
    // Turns that many workloads did not use, such as since a window closed, must not be used all at once.
    let turn: Turn =
      known !== undefined && !isUnused(known, nowMs)
        ? known
        : { of: "namespace", atMs: this.#bucketOf(workload.namespace)?.nextTurn(nowMs) ?? nowMs };
    if (turn.of === "namespace" && turn.atMs <= nowMs)
      turn = { of: "global", atMs: this.#global?.nextTurn(nowMs) ?? nowMs };
    if (turn.atMs > nowMs) this.#turns.set(key, turn);
    else this.#turns.delete(key);
    return Math.max(0, turn.atMs - nowMs);
  }

  /** How many workloads wait for their turn, and how many namespaces have used of their limit. */
  get size(): { readonly turns: number; readonly namespaces: number } {
    return { turns: this.#turns.size, namespaces: this.#namespaces.size };
  }

  #bucketOf(namespace: string): TokenBucket | undefined {
    const { perNamespace } = this.#settings;
    if (perNamespace === undefined) return undefined;
    const known = this.#namespaces.get(namespace);
    if (known !== undefined) return known;
    const bucket = new TokenBucket(perNamespace);
    this.#namespaces.set(namespace, bucket);
    return bucket;
  }

  /** A clock that was set back would make all wait for the difference. */
  #keepTime(nowMs: number): void {
    if (nowMs < this.#lastMs) {
      this.#turns.clear();
      this.#namespaces.clear();
      this.#global?.reset();
    }
    this.#lastMs = nowMs;
    if (++this.#calls % callsBetweenSweeps === 0) this.#sweep(nowMs);
  }

  #sweep(nowMs: number): void {
    for (const [key, turn] of this.#turns) if (isUnused(turn, nowMs)) this.#turns.delete(key);
    for (const [namespace, bucket] of this.#namespaces)
      if (bucket.isFull(nowMs)) this.#namespaces.delete(namespace);
  }
}

/** A token bucket, as the time at which it will be full. */
class TokenBucket {
  readonly #intervalMs: number;
  readonly #burst: number;
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor({ perMinute, burst }: RateLimit) {
    this.#intervalMs = 60_000 / perMinute;
    this.#burst = Math.max(1, burst);
  }

  /** Takes a token, and returns when it is there. */
  nextTurn(nowMs: number): number {
    const fullAtMs = Math.max(this.#fullAtMs, nowMs) + this.#intervalMs;
    this.#fullAtMs = fullAtMs;
    return Math.max(nowMs, fullAtMs - this.#burst * this.#intervalMs);
  }

  isFull(nowMs: number): boolean {
    return this.#fullAtMs <= nowMs;
  }

  reset(): void {
    this.#fullAtMs = Number.NEGATIVE_INFINITY;
  }
}
