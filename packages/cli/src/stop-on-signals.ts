import type { EventEmitter } from "node:events";

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Aborts on the first Ctrl-C, SIGTERM or SIGHUP, so that what runs can end in order. The second one ends the process
 * the way it would have ended without us.
 */
export function stopOnSignals(owner: EventEmitter): AbortSignal {
  const controller = new AbortController();
  for (const name of stopSignals) {
    owner.once(name, () => controller.abort(new Error(`stopped by ${name}`)));
  }
  return controller.signal;
}
