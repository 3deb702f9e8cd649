import { type Clock, toError } from "@keelson/core";

/** Is called with a problem that does not keep the program from working. */
export type OnWarning = (message: string) => void;

export interface RotatingOptions<Value> {
  readonly load: (signal: AbortSignal | undefined) => Promise<Value>;
  readonly clock: Clock;
  /** How long a value is good before it is loaded again. */
  readonly intervalMs: number;
  /** What to use while there is nothing better. */
  readonly initial?: Value;
  readonly onWarning: OnWarning;
}

/** A failed load is tried again sooner than a good value would be loaded anew. */
const retryMs = 5_000;

/**
 * A value that is replaced from outside while the program runs, such as a token in a file. It is loaded when it is
 * read and old enough. A load that fails leaves the last good value in place and calls `onWarning` once; it is an error only
 * if there never was a value.
 */
export class Rotating<Value> {
  readonly #options: RotatingOptions<Value>;
  #last: { readonly value: Value } | undefined;
  /** By the monotonic clock. */
  #reloadAtMs = Number.NEGATIVE_INFINITY;
  #isFailing = false;

  constructor(options: RotatingOptions<Value>) {
    this.#options = options;
    if (options.initial !== undefined) this.#last = { value: options.initial };
  }

  async get(signal?: AbortSignal): Promise<Value> {
    const { load, clock, intervalMs } = this.#options;
    signal?.throwIfAborted();
    if (this.#last !== undefined && clock.monotonicNow() < this.#reloadAtMs) return this.#last.value;
    try {
      const value = await load(signal);
      this.#last = { value };
      this.#reloadAtMs = clock.monotonicNow() + intervalMs;
      this.#isFailing = false;
      return value;
    } catch (error) {
      signal?.throwIfAborted();
      if (this.#last === undefined) throw error;
      this.#reloadAtMs = clock.monotonicNow() + Math.min(retryMs, intervalMs);
      this.#warnOnce(toError(error));
      return this.#last.value;
    }
  }

  /** Makes the next read load the value again. */
  expire(): void {
    this.#reloadAtMs = Number.NEGATIVE_INFINITY;
  }

  #warnOnce({ message }: Error): void {
    if (!this.#isFailing) this.#options.onWarning(`${message} (the last good value stays in use)`);
    this.#isFailing = true;
  }
}

/** As in client-go: the kubelet renews a token minutes before the old one expires. */
export const tokenIntervalMs = 60_000;

/** Certificates are small files, and a replaced one should be used soon. */
export const certificateIntervalMs = 5_000;
