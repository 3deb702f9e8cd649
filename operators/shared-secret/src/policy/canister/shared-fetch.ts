import type { Clock } from "keelson";
import { abortable } from "keelson/low-level";

/** How a value is fetched and for how long it is used. */
interface SharedFetchOptions<Value> {
  readonly fetch: (signal: AbortSignal) => Promise<Value>;
  readonly maxAgeMs: number;
  readonly clock: Clock;
}

interface Received<Value> {
  readonly value: Value;
  readonly atMs: number;
}

interface Fetching<Value> {
  readonly result: Promise<Value>;
  readonly stop: AbortController;
  waiters: number;
}

/**
 * A value that many readers share: one fetch serves all that wait for it and, for a short time, those after them. A failure
 * is that of the readers that waited, and the next one fetches again. A fetch ends with its last waiter.
 */
export class SharedFetch<Value> {
  readonly #options: SharedFetchOptions<Value>;
  #received: Received<Value> | undefined;
  /** Its result is to be kept; undefined if there is no fetch under way, or only one that was dropped. */
  #fetching: Fetching<Value> | undefined;

  constructor(options: SharedFetchOptions<Value>) {
    this.#options = options;
  }

  /** Throws the signal's reason when it aborts; other readers do not notice. */
  async get(signal: AbortSignal): Promise<Value> {
    signal.throwIfAborted();
    const { clock, maxAgeMs } = this.#options;
    const received = this.#received;
    if (received !== undefined && clock.monotonicNow() - received.atMs <= maxAgeMs) return received.value;
    this.#fetching ??= this.#start();
    return this.#wait(this.#fetching, signal);
  }

  /** Readers from now on get a value that is fetched from now on. */
  drop(): void {
    this.#received = undefined;
    this.#fetching = undefined;
  }

  #start(): Fetching<Value> {
    const { fetch, clock } = this.#options;
    const stop = new AbortController();
    const fetching = { result: fetch(stop.signal), stop, waiters: 0 };
    const end = (received: Received<Value> | undefined): void => {
      if (this.#fetching !== fetching) return;
      this.#fetching = undefined;
      this.#received = received;
    };
    fetching.result.then(
      (value) => end({ value, atMs: clock.monotonicNow() }),
      () => end(undefined),
    );
    return fetching;
  }

  async #wait(fetching: Fetching<Value>, signal: AbortSignal): Promise<Value> {
    fetching.waiters++;
    try {
      return await abortable(fetching.result, signal);
    } finally {
      fetching.waiters--;
      if (fetching.waiters === 0) {
        if (this.#fetching === fetching) this.#fetching = undefined;
        fetching.stop.abort();
      }
    }
  }
}
