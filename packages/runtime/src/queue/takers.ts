interface Taker<Value> {
  readonly resolve: (value: Value) => void;
  readonly signal: AbortSignal | undefined;
  readonly onAbort: () => void;
}

/**
 * Those who wait for a value, first come, first served. A value that was given has arrived: an abort after that does
 * not take it away again, so nothing is lost between giver and taker.
 */
export class Takers<Value> {
  readonly #waiting: Taker<Value>[] = [];

  get areWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Waits to be given a value; throws the signal's reason as soon as it aborts. */
  wait(signal?: AbortSignal): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    if (signal?.aborted) {
      reject(signal.reason);
      return promise;
    }
    const onAbort = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(taker), 1);
      reject(signal?.reason);
    };
    const taker: Taker<Value> = { resolve, signal, onAbort };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#waiting.push(taker);
    return promise;
  }

  /** Gives the value to the one who has waited longest; does nothing if nobody waits. */
  give(value: Value): void {
    const taker = this.#waiting.shift();
    if (taker === undefined) return;
    taker.signal?.removeEventListener("abort", taker.onAbort);
    taker.resolve(value);
  }

  giveAll(value: Value): void {
    while (this.areWaiting) this.give(value);
  }
}
