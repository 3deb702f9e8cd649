import { EventEmitter } from "node:events";
import { RecordingLogger } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { ReportedError } from "../failure.ts";
import { stopOnUncaughtErrors } from "./uncaught-errors.ts";

/** A command that logs to `log` and runs until its signal aborts. */
function start(log?: RecordingLogger) {
  const owner = new EventEmitter();
  const stop = new AbortController();
  let given = stop.signal;
  const ended = stopOnUncaughtErrors(owner, stop.signal, async (signal, logTo) => {
    given = signal;
    if (log !== undefined) logTo(log);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  return {
    stop,
    ended,
    owner,
    signal: () => given,
    emit: (error: unknown) => owner.emit("uncaughtException", error),
  };
}

describe("an error that no code catches", () => {
  it("[MG13] stops the command, and every one is logged", async () => {
    const log = new RecordingLogger();
    const { ended, owner, emit, signal } = start(log);
    const errors = [new TypeError("first"), new Error("second")];
    for (const error of errors) emit(error);
    // What the stop then cancels is no further failure.
    emit(new Error("the request was aborted", { cause: signal().reason }));
    await expect(ended).rejects.toThrow(ReportedError);
    const logged = log.lines.filter(({ level }) => level === "error").map(({ fields }) => fields.error);
    expect(logged).toEqual(errors);
    expect(owner.listenerCount("uncaughtException")).toBe(0);
  });

  it("is what the command rejects with before there is a log", async () => {
    const { ended, emit } = start();
    const error = new Error("too early");
    emit(error);
    await expect(ended).rejects.toBe(error);
  });

  it("is a failure during the stop, too, unless it is the stop's own", async () => {
    const log = new RecordingLogger();
    const cancelled = start(log);
    const reason = new Error("stopped by SIGTERM");
    cancelled.stop.abort(reason);
    cancelled.emit(reason);
    cancelled.emit(new Error("the request was aborted", { cause: reason }));
    cancelled.emit(new DOMException("aborted", "AbortError"));
    await cancelled.ended;
    expect(log.messages("error")).toEqual([]);
    const failed = start(log);
    failed.stop.abort(reason);
    failed.emit("no error object");
    await expect(failed.ended).rejects.toThrow(ReportedError);
    expect(log.messages("error")).toHaveLength(1);
  });
});
