/**
 * Something to iterate over that begins anew with each iteration and ends at once when it is left, even while it waits:
 * the signal it is begun with aborts then. A generator alone would first wait for what it waits for.
 */
export function leavable<T>(begin: (leaving: AbortSignal) => AsyncIterable<T>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator](): AsyncIterator<T> {
      const controller = new AbortController();
      const inner = begin(controller.signal)[Symbol.asyncIterator]();
      const done = { done: true, value: undefined } as const;
      return {
        async next() {
          try {
            return await inner.next();
          } catch (error) {
            if (controller.signal.aborted) return done;
            throw error;
          }
        },
        async return() {
          controller.abort(new Error("left"));
          await inner.return?.();
          return done;
        },
      };
    },
  };
}

/** A signal that aborts when either does. */
export function eitherSignal(one: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? one : AbortSignal.any([one, other]);
}
