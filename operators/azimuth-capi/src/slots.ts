import { abortable } from "keelson/low-level";

/** Lets only so many pieces of work run at once; the others wait for their turn, in order. */
export class Slots {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Throws the signal's reason if it aborts before the turn has come; after that the work has to heed it. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const release = await this.acquire(signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Waits for a slot, and returns what gives it back, which may be called more than once. Throws as `run` does. */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    let isReleased = false;
    return () => {
      if (!isReleased) this.#release();
      isReleased = true;
    };
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    try {
      await abortable(promise, signal);
    } catch (error) {
      // Its turn may have come in the same moment; then the next one takes it.
      if (!this.#waiting.delete(resolve)) this.#release();
      throw error;
    }
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
