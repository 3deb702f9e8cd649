/** The part of a process that `runUntilSignal` needs; Node's `process` is one. */
export interface SignalledProcess {
  on(event: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  off(event: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  exit(code: number): unknown;
}

/** Something that runs until its signal aborts; a Manager is one. */
export interface Stoppable {
  run(signal: AbortSignal): Promise<void>;
}

const stopSignals = ["SIGINT", "SIGTERM"] as const;

/**
 * Runs until the process receives a SIGTERM or SIGINT, and then until everything has ended in order. The second signal
 * ends the process at once with code 1 [MG9]. Rejects as `run` does. Removes its signal handlers at the end.
 */
export async function runUntilSignal(stoppable: Stoppable, owner: SignalledProcess): Promise<void> {
  const stop = new AbortController();
  const listeners = stopSignals.map((name) => {
    const onSignal = (): void => {
      if (stop.signal.aborted) owner.exit(1);
      else stop.abort(new Error(`stopped by ${name}`));
    };
    owner.on(name, onSignal);
    return { name, onSignal };
  });
  try {
    await stoppable.run(stop.signal);
  } finally {
    for (const { name, onSignal } of listeners) owner.off(name, onSignal);
  }
}
