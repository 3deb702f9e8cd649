import { EventEmitter } from "node:events";
import type { SignalledProcess } from "keelson";
import { expect, it, vi } from "vitest";
import { withoutEchoes } from "./without-echoes.ts";

it("passes signals on, except for one that comes right after one that was", () => {
  const emitter = new EventEmitter();
  const exit = vi.fn();
  const owner: SignalledProcess = {
    on: (event, listener) => emitter.on(event, listener),
    off: (event, listener) => emitter.off(event, listener),
    exit,
  };
  let nowMs = 0;
  const heard = withoutEchoes(owner, () => nowMs);
  const listener = vi.fn();
  heard.on("SIGINT", listener);
  emitter.emit("SIGINT");
  nowMs = 100;
  emitter.emit("SIGINT");
  expect(listener).toHaveBeenCalledTimes(1);
  nowMs = 250;
  emitter.emit("SIGINT");
  expect(listener).toHaveBeenCalledTimes(2);
  heard.off("SIGINT", listener);
  expect(emitter.listenerCount("SIGINT")).toBe(0);
  heard.exit(1);
  expect(exit).toHaveBeenCalledWith(1);
});
