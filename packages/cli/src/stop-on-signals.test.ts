import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { stopOnSignals } from "./stop-on-signals.ts";

it.each(["SIGINT", "SIGTERM", "SIGHUP"])("aborts on %s and leaves a second one to Node", (name) => {
  const owner = new EventEmitter();
  const signal = stopOnSignals(owner);
  expect(signal.aborted).toBe(false);
  owner.emit(name);
  expect(signal.reason).toMatchObject({ message: `stopped by ${name}` });
  expect(owner.listenerCount(name)).toBe(0);
});
