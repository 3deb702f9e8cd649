import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { runUntilSignal } from "./signals.ts";

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
  }
}

/** Runs until the test ends it, whether its signal has aborted or not. */
function makeStoppable() {
  const ended = Promise.withResolvers<void>();
  const seen: { signal?: AbortSignal } = {};
  const run = async (signal: AbortSignal): Promise<void> => {
    seen.signal = signal;
    await ended.promise;
  };
  return { run, seen, end: ended.resolve, fail: ended.reject };
}

describe("a run until a signal", () => {
  it.each(["SIGTERM", "SIGINT"])("[MG9] stops in order on the first %s", async (name) => {
    const owner = new FakeProcess();
    const { run, seen, end } = makeStoppable();
    const running = runUntilSignal({ run }, owner);
    expect(seen.signal?.aborted).toBe(false);
    owner.emit(name);
    expect(seen.signal?.reason).toEqual(new Error(`stopped by ${name}`));
    expect(owner.exits).toEqual([]);
    end();
    await running;
  });

  it("[MG9] ends the process at once with code 1 on the second signal, whichever it is", () => {
    const owner = new FakeProcess();
    const { run } = makeStoppable();
    void runUntilSignal({ run }, owner);
    owner.emit("SIGTERM");
    owner.emit("SIGINT");
    expect(owner.exits).toEqual([1]);
  });

  it("[MG10] leaves no listener behind, and rejects as the run does", async () => {
    const owner = new FakeProcess();
    const { run, fail } = makeStoppable();
    const running = runUntilSignal({ run }, owner);
    expect(owner.eventNames()).toEqual(["SIGINT", "SIGTERM"]);
    fail(new Error("no port"));
    await expect(running).rejects.toThrow("no port");
    expect(owner.eventNames()).toEqual([]);
  });
});
