import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { errorCode } from "@keelson/core";
import type { Guardian } from "./guardian.ts";

/** How a process ended. */
export type ProcessEnd =
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: NodeJS.Signals }
  | { readonly kind: "spawn-error"; readonly error: Error };

export function describeEnd(end: ProcessEnd): string {
  switch (end.kind) {
    case "exit":
      return `exit code ${end.code}`;
    case "signal":
      return `signal ${end.signal}`;
    case "spawn-error":
      return `an error before it ran (${end.error.message})`;
  }
}

/** A process that leads a group of its own and cannot outlive its owner. */
export interface GuardedProcess {
  readonly child: ChildProcess;
  /** Settles when the process has ended; never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Signals the whole group; a group that has already ended is no error. */
  signal(signal: NodeJS.Signals): void;
  /** Signals the whole group and returns when the process has ended. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/**
 * Starts a process under the guardian. A program that cannot be run shows as an end of kind `spawn-error`. As any child,
 * it keeps the owner's event loop alive; one that is to run beside its owner is let go with `child.unref()`.
 */
export function spawnGuarded(
  guardian: Guardian,
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env" | "stdio">,
): GuardedProcess {
  // A group of its own: a Ctrl-C reaches only the owner, which then stops its processes in order.
  const child = spawn(command, args, { ...options, detached: true });
  const { pid } = child;
  if (pid !== undefined) guardian.watch(pid);
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once("error", (error) => resolve({ kind: "spawn-error", error }));
    child.once("exit", (code, signal) => {
      if (pid !== undefined) guardian.forget(pid);
      resolve(signal === null ? { kind: "exit", code: code ?? 0 } : { kind: "signal", signal });
    });
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.ref();
    signalGroup(pid, signal);
    await ended;
  };
  return { child, ended, signal: (signal) => signalGroup(pid, signal), end };
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}

/** Calls `action` when the signal aborts, at once if it is aborted. Disposing of the result removes the listener. */
export function onAbort(signal: AbortSignal | undefined, action: () => void): Disposable {
  if (signal?.aborted) action();
  else signal?.addEventListener("abort", action, { once: true });
  return { [Symbol.dispose]: () => signal?.removeEventListener("abort", action) };
}
