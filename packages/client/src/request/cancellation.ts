import type { Clock } from "@keelson/core";

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

/** A signal that aborts when another does or when time is up, and says which of the two it was. */
interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  readonly isOver: boolean;
}

/** Dispose of it when the work is done, so that no timer and no listener stays. */
export function startDeadline(
  clock: Clock,
  timeoutMs: number | undefined,
  parent: AbortSignal | undefined,
): Deadline {
  const controller = new AbortController();
  let isOver = false;
  const cancelTimer =
    timeoutMs === undefined
      ? () => undefined
      : clock.schedule(timeoutMs, () => {
          isOver = true;
          controller.abort(new Error("deadline"));
        });
  const onParentAbort = (): void => controller.abort(parent?.reason);
  if (parent?.aborted) onParentAbort();
  else parent?.addEventListener("abort", onParentAbort, { once: true });
  return {
    signal: controller.signal,
    get isOver() {
      return isOver;
    },
    [Symbol.dispose]() {
      cancelTimer();
      parent?.removeEventListener("abort", onParentAbort);
    },
  };
}
