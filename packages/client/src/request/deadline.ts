import type { Clock } from "@keelson/core";

/** A signal that aborts when another does or when time is up, and says which of the two it was. */
export interface Deadline extends Disposable {
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
