import { EventEmitter } from "node:events";
import type { SignalledProcess } from "keelson/manager";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { stopOnSignals, withoutEchoes } from "./signals.ts";

describe("stopOnSignals", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each(["SIGINT", "SIGTERM", "SIGHUP"])(
    "aborts on %s, ignores its echo, and leaves any later signal to Node",
    (name) => {
      const owner = new EventEmitter();
      const signal = stopOnSignals(owner);
      expect(signal.aborted).toBe(false);
      owner.emit(name);
      owner.emit(name);
      expect(signal.reason).toMatchObject({ message: `stopped by ${name}` });
      expect(owner.listenerCount(name)).toBe(1);
      vi.advanceTimersByTime(200);
      expect(owner.eventNames()).toEqual([]);
    },
  );
});

it("passes signals on, except for an echo of the last one that it passed on", () => {
  const emitter = new EventEmitter();
  const exit = vi.fn();
  const owner: SignalledProcess = {
    on: (event, listener) => emitter.on(event, listener),
    off: (event, listener) => emitter.off(event, listener),
    exit,
  };
  let nowMs = 0;
  const filtered = withoutEchoes(owner, () => nowMs);
  const listener = vi.fn();
  filtered.on("SIGINT", listener);
  emitter.emit("SIGINT");
  nowMs = 100;
  emitter.emit("SIGINT");
  expect(listener).toHaveBeenCalledTimes(1);
  nowMs = 250;
  emitter.emit("SIGINT");
  expect(listener).toHaveBeenCalledTimes(2);
  filtered.off("SIGINT", listener);
  expect(emitter.listenerCount("SIGINT")).toBe(0);
  filtered.exit(1);
  expect(exit).toHaveBeenCalledWith(1);
});
