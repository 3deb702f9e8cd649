interface Waiter<Value> {
  readonly resolve: (value: Value) => void;
  readonly signal: AbortSignal | undefined;
  readonly onAbort: () => void;
}

/**
 * Callers that wait for a value, first come, first served. A value that was given stays with its waiter: an abort after
 * that does not take it away again, so no value is lost.
 */
export class Waiters<Value> {
  readonly #waiting: Waiter<Value>[] = [];

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
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      reject(signal?.reason);
    };
    const waiter: Waiter<Value> = { resolve, signal, onAbort };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#waiting.push(waiter);
    return promise;
  }

  /** Passes the value to the caller that has waited longest; does nothing if none waits. */
  give(value: Value): void {
    const waiter = this.#waiting.shift();
    if (waiter === undefined) return;
    waiter.signal?.removeEventListener("abort", waiter.onAbort);
    waiter.resolve(value);
  }

  giveAll(value: Value): void {
    while (this.areWaiting) this.give(value);
  }
}
