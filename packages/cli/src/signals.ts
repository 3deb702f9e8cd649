import type { EventEmitter } from "node:events";
import type { SignalledProcess } from "keelson/manager";

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** npm repeats the Ctrl-C that the terminal has already sent to this process: a signal so soon after another is an echo. */
const echoMs = 200;

/**
 * Aborts on the first Ctrl-C, SIGTERM or SIGHUP, so that everything can end in order. A signal that comes more than a fifth
 * of a second later has the effect that Node gives it: the process ends.
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

/** A process as `runUntilSignal` sees it, without signals that are echoes of the previous one. */
export function withoutEchoes(owner: SignalledProcess, nowMs: () => number): SignalledProcess {
  const listeners = new Map<() => void, () => void>();
  /** The time of the last signal that was passed on. */
  let lastMs = Number.NEGATIVE_INFINITY;
  const passOn = (listener: () => void): void => {
    if (nowMs() - lastMs < echoMs) return;
    // An echo does not prolong the time: a user who keeps pressing Ctrl-C is heeded.
    lastMs = nowMs();
    listener();
  };
  return {
    on: (event, listener) => {
      const filtered = (): void => passOn(listener);
      listeners.set(listener, filtered);
      owner.on(event, filtered);
    },
    off: (event, listener) => owner.off(event, listeners.get(listener) ?? listener),
    exit: (code) => owner.exit(code),
  };
}

/** Returns when the signal aborts, and keeps the process alive until then. */
export async function until(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) return;
  signal.addEventListener("abort", () => resolve(), { once: true });
  const keepAlive = setInterval(() => undefined, 60_000);
  await promise;
  clearInterval(keepAlive);
}
