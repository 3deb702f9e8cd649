import type { EventEmitter } from "node:events";
import { echoMs } from "./signal-echo.ts";

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Aborts on the first Ctrl-C, SIGTERM or SIGHUP, so that what runs can end in order. One that comes more than a fifth of a
 * second later ends the process the way it would have ended without us.
 */
export function stopOnSignals(owner: EventEmitter): AbortSignal {
  const controller = new AbortController();
  const listeners = stopSignals.map((name) => {
    const stop = (): void => {
      if (controller.signal.aborted) return;
      controller.abort(new Error(`stopped by ${name}`));
      setTimeout(leaveSignals, echoMs).unref();
    };
    owner.on(name, stop);
    return { name, stop };
  });
  const leaveSignals = (): void => {
    for (const { name, stop } of listeners) owner.off(name, stop);
  };
  return controller.signal;
}
