/** Lets so many do something at the same time; the others wait, and follow in the order in which they came. */
export class Turns {
  #free: number;
  /** In order; who has given up is taken out. */
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves when it is the caller's turn, who then has to call `end`; rejects with the signal's reason. */
  async begin(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = (): void => {
      this.#waiting.delete(resolve);
      reject(signal.reason);
    };
    this.#waiting.add(resolve);
    signal.addEventListener("abort", giveUp, { once: true });
    await promise.finally(() => signal.removeEventListener("abort", giveUp));
  }

  end(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
    } else {
      this.#waiting.delete(next);
      next();
    }
  }
}
