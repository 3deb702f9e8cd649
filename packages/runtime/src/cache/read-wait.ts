import type { Clock } from "@keelson/core";

/** What a read waits under: its signal, its time limit, and the life of the informers that it waits for. */
export interface ReadWait extends Disposable {
  readonly signal: AbortSignal;
  /** The time limit of the call has passed. */
  readonly isOver: boolean;
}

/** Dispose of it when the waiting is done, so that no timer and no listener stays. */
export function startReadWait(
  clock: Clock,
  asked: AbortSignal | undefined,
  timeoutMs: number,
  ends: readonly AbortSignal[],
): ReadWait {
  const controller = new AbortController();
  const undo: (() => void)[] = [];
  let isOver = false;
  for (const end of asked === undefined ? ends : [asked, ...ends]) {
    const onAbort = (): void => controller.abort(end.reason);
    if (end.aborted) onAbort();
    else end.addEventListener("abort", onAbort, { once: true });
    undo.push(() => end.removeEventListener("abort", onAbort));
  }
  undo.push(
    clock.schedule(Math.max(0, timeoutMs), () => {
      isOver = true;
      controller.abort(new Error("the time limit of the call has passed"));
    }),
  );
  return {
    signal: controller.signal,
    get isOver() {
      return isOver;
    },
    [Symbol.dispose]() {
      for (const step of undo) step();
    },
  };
}
