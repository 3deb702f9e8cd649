/**
 * An iterable that starts anew with each iteration and aborts its signal when the consumer leaves the loop, even while
 * the next value is awaited. A plain generator would wait for that value first.
 */
export function cancelOnReturn<T>(start: (signal: AbortSignal) => AsyncIterable<T>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator](): AsyncIterator<T> {
      const controller = new AbortController();
      const inner = start(controller.signal)[Symbol.asyncIterator]();
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
          controller.abort(new Error("the consumer left the loop"));
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
