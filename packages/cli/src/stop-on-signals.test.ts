import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { stopOnSignals } from "./stop-on-signals.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each(["SIGINT", "SIGTERM", "SIGHUP"])(
  "aborts on %s, takes its echo for one, and leaves a later one, whichever it is, to Node",
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
