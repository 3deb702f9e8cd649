import type { SignalledProcess } from "keelson";
import { echoMs } from "./signal-echo.ts";

/** A process as `runUntilSignal` sees it, without the signals that only repeat the last one that it has heard. */
export function withoutEchoes(owner: SignalledProcess, nowMs: () => number): SignalledProcess {
  const listeners = new Map<() => void, () => void>();
  /** When a signal was last passed on. */
  let lastMs = Number.NEGATIVE_INFINITY;
  const hear = (listener: () => void): void => {
    if (nowMs() - lastMs < echoMs) return;
    // Of an echo it stays as it is: somebody who keeps pressing Ctrl-C is to be heard.
    lastMs = nowMs();
    listener();
  };
  return {
    on: (event, listener) => {
      const heard = (): void => hear(listener);
      listeners.set(listener, heard);
      owner.on(event, heard);
    },
    off: (event, listener) => owner.off(event, listeners.get(listener) ?? listener),
    exit: (code) => owner.exit(code),
  };
}
