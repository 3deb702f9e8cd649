import { abortable, type KubeObject } from "@keelson/core";
import type { InformerEvent, InformerHandler } from "./informer.ts";

/**
 * A handler that may be called from several sides at once and passes the calls on one after the other. Once the signal
 * has aborted, calls that wait for their turn are dropped.
 */
export function oneAtATime<T extends KubeObject>(
  handler: InformerHandler<T>,
  signal: AbortSignal,
): InformerHandler<T> {
  let last: Promise<void> | undefined;
  const call = (event: InformerEvent<T>): void | Promise<void> => {
    const result = handler(event);
    if (result === undefined) return;
    const turn = result.finally(() => {
      if (last === settled) last = undefined;
    });
    const settled = turn.catch(() => undefined);
    last = settled;
    return turn;
  };
  const callAfter = async (event: InformerEvent<T>): Promise<void> => {
    // Another one that waited may have taken the turn that has become free.
    while (last !== undefined) {
      if (await isAborted(last, signal)) return;
    }
    await call(event);
  };
  return (event) => {
    if (signal.aborted) return;
    return last === undefined ? call(event) : callAfter(event);
  };
}

async function isAborted(turn: Promise<void>, signal: AbortSignal): Promise<boolean> {
  try {
    await abortable(turn, signal);
    return false;
  } catch {
    // The turn itself never fails, so it was the signal: nobody wants the event any more.
    return true;
  }
}
