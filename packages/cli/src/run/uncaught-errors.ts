import type { Logger } from "keelson";
import { toError } from "keelson/low-level";
import { ReportedError } from "../failure.ts";

/** The part of a process that emits errors which no code has caught, those of promises included; Node's `process` is one. */
export interface UncaughtErrorSource {
  on(event: "uncaughtException", listener: (error: unknown) => void): unknown;
  off(event: "uncaughtException", listener: (error: unknown) => void): unknown;
}

/**
 * Runs a command whose signal aborts when `stop` does, and also on the first uncaught error, so that everything still ends
 * in order. Each such error is logged once, by the logger that the command has named by then. Rejects if there was one:
 * with a ReportedError if it was logged, else with the error itself.
 */
export async function stopOnUncaughtErrors(
  owner: UncaughtErrorSource,
  stop: AbortSignal,
  command: (signal: AbortSignal, logTo: (log: Logger) => void) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([stop, failed.signal]);
  let log: Logger | undefined;
  const onUncaught = (caught: unknown): void => {
    const error = toError(caught);
    if (signal.aborted && isCancellation(error, signal)) {
      log?.debug("work was cancelled by the stop, and no code caught it", { error });
      return;
    }
    log?.error("an error that no code caught ends the process", { error });
    failed.abort(log === undefined ? error : new ReportedError(error));
  };
  owner.on("uncaughtException", onUncaught);
  try {
    await command(signal, (named) => {
      log = named;
    });
  } finally {
    owner.off("uncaughtException", onUncaught);
  }
  failed.signal.throwIfAborted();
}

function isCancellation(error: Error, { reason }: AbortSignal): boolean {
  return error === reason || error.cause === reason || error.name === "AbortError";
}
