import { type Clock, KeelsonError } from "@keelson/core";

/** A work queue or rate limiter was given a number that it cannot use. A mistake in the program; do not retry. */
export class InvalidQueueNumberError extends KeelsonError {
  static override readonly brand: string = "keelson.InvalidQueueNumberError";
  readonly code = "INVALID_QUEUE_NUMBER";
  readonly setting: string;
  readonly value: number;

  constructor(setting: string, value: number, expected: string) {
    super(`set ${setting}: ${value} is not ${expected}; pass ${expected}`);
    this.setting = setting;
    this.value = value;
  }
}

export function requireFinite(setting: string, value: number): void {
  if (!Number.isFinite(value)) throw new InvalidQueueNumberError(setting, value, "a finite number");
}

function requirePositive(setting: string, value: number): void {
  if (!(Number.isFinite(value) && value > 0)) {
    throw new InvalidQueueNumberError(setting, value, "a finite number above 0");
  }
}

/** Computes how long a key waits before its next attempt. */
export interface RateLimiter {
  /** The delay before the next attempt, in milliseconds. Each call counts as one more failure of the key. */
  when(key: string): number;
  /** Forgets the failures of the key; to be called when it succeeded, or they are remembered for ever. */
  forget(key: string): void;
  /** How many failures of the key are remembered. */
  numRequeues(key: string): number;
}

/** A limiter that remembers keys, until each is forgotten. */
export interface ItemRateLimiter extends RateLimiter {
  /** How many keys it remembers. */
  readonly size: number;
}

/** The delay grows with the failures of the key: `delayMs` gets their number before this one. */
function perItemLimiter(delayMs: (failures: number) => number): ItemRateLimiter {
  const failures = new Map<string, number>();
  return {
    get size() {
      return failures.size;
    },
    when(key) {
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      return delayMs(count);
    },
    forget(key) {
      failures.delete(key);
    },
    numRequeues: (key) => failures.get(key) ?? 0,
  };
}

/** Each failure of a key doubles its delay: base, 2 × base, 4 × base … up to the maximum. */
export function itemExponentialLimiter(options: {
  readonly baseMs: number;
  readonly maxMs: number;
}): ItemRateLimiter {
  const { baseMs, maxMs } = options;
  requirePositive("baseMs", baseMs);
  requirePositive("maxMs", maxMs);
  // Beyond 2^1023 the product is Infinity, and the maximum still the smaller of the two.
  return perItemLimiter((failures) => Math.min(baseMs * 2 ** failures, maxMs));
}

/** The first failures of a key are retried quickly, all later ones slowly. */
export function fastSlowLimiter(options: {
  readonly fastMs: number;
  readonly slowMs: number;
  /** How many failures are retried quickly. */
  readonly fastAttempts: number;
}): ItemRateLimiter {
  const { fastMs, slowMs, fastAttempts } = options;
  requirePositive("fastMs", fastMs);
  requirePositive("slowMs", slowMs);
  return perItemLimiter((failures) => (failures < fastAttempts ? fastMs : slowMs));
}

/** One bucket of tokens for all keys: `burst` tries at once, then `perSecond`. Remembers no keys. */
export function tokenBucketLimiter(options: {
  readonly clock: Clock;
  readonly perSecond: number;
  readonly burst: number;
}): RateLimiter {
  const { clock, perSecond, burst } = options;
  requirePositive("perSecond", perSecond);
  requirePositive("burst", burst);
  // Below 0 are the tokens that were promised and have yet to come in.
  let tokens = burst;
  let countedMs = clock.monotonicNow();
  return {
    when() {
      const nowMs = clock.monotonicNow();
      tokens = Math.min(burst, tokens + ((nowMs - countedMs) / 1000) * perSecond) - 1;
      countedMs = nowMs;
      return tokens >= 0 ? 0 : (-tokens / perSecond) * 1000;
    },
    forget() {},
    numRequeues: () => 0,
  };
}

/** Combines limiters: the longest delay and the largest count of all of them. */
export function maxOfLimiters(...limiters: readonly RateLimiter[]): RateLimiter {
  return {
    when: (key) => Math.max(0, ...limiters.map((limiter) => limiter.when(key))),
    forget(key) {
      for (const limiter of limiters) limiter.forget(key);
    },
    numRequeues: (key) => Math.max(0, ...limiters.map((limiter) => limiter.numRequeues(key))),
  };
}

/** Another limiter whose delays are cut off at a maximum. */
export function maxWaitLimiter(limiter: RateLimiter, maxMs: number): RateLimiter {
  requirePositive("maxMs", maxMs);
  return {
    when: (key) => Math.min(limiter.when(key), maxMs),
    forget: (key) => limiter.forget(key),
    numRequeues: (key) => limiter.numRequeues(key),
  };
}

/**
 * Back-offs by name. `controllerRuntime` is what Go's controller-runtime does: 5 ms, doubled up to 1000 s, so the
 * first eight retries come within 1.3 s. `oneSecondToFiveMinutes` puts less load on a failing service: 1 s, doubled up
 * to 5 min.
 */
export const backoffPresets: Readonly<
  Record<"controllerRuntime" | "oneSecondToFiveMinutes", { readonly baseMs: number; readonly maxMs: number }>
> = {
  controllerRuntime: { baseMs: 5, maxMs: 1_000_000 },
  oneSecondToFiveMinutes: { baseMs: 1000, maxMs: 300_000 },
};

export type BackoffPreset = keyof typeof backoffPresets;

/** The limiter of a preset. The work queue's default is that of `controllerRuntime`. */
export function presetLimiter(preset: BackoffPreset): ItemRateLimiter {
  return itemExponentialLimiter(backoffPresets[preset]);
}

/**
 * The delay that a limiter demands. Throws if it is not finite: treated as no delay, NaN would make a hot loop, and an
 * infinite delay would lose the key.
 */
export function limitedDelay(limiter: RateLimiter, key: string): number {
  const delayMs = limiter.when(key);
  requireFinite("delay of a rate limiter", delayMs);
  return delayMs;
}

/** The smaller of the limiter's delay and the requested one, if one was requested. */
export function shorterDelay(limiterMs: number, afterMs: number): number {
  return afterMs > 0 ? Math.min(limiterMs, afterMs) : limiterMs;
}
