import { describe, expect, it } from "vitest";
import { Waiters } from "./waiters.ts";

describe("those who wait for a value", () => {
  it("are served first come, first served", async () => {
    const waiters = new Waiters<number>();
    const waiting = [waiters.wait(), waiters.wait()];
    waiters.give(1);
    waiters.give(2);
    expect(await Promise.all(waiting)).toEqual([1, 2]);
    expect(waiters.areWaiting).toBe(false);
  });

  it("leave when their signal aborts, with its reason, and the next in line gets the value", async () => {
    const waiters = new Waiters<number>();
    const abort = new AbortController();
    const leaving = waiters.wait(abort.signal);
    const staying = waiters.wait();
    const reason = new Error("stop");
    abort.abort(reason);
    await expect(leaving).rejects.toBe(reason);
    waiters.give(1);
    expect(await staying).toBe(1);
  });

  it("do not even begin to wait if their signal has aborted", async () => {
    const waiters = new Waiters<number>();
    const reason = new Error("stop");
    await expect(waiters.wait(AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(waiters.areWaiting).toBe(false);
  });

  it("keep the value that they were given, though their signal aborts before they have read it", async () => {
    const waiters = new Waiters<number>();
    const abort = new AbortController();
    const waiting = waiters.wait(abort.signal);
    const next = waiters.wait();
    waiters.give(1);
    abort.abort();
    expect(await waiting).toBe(1);
    waiters.give(2);
    expect(await next).toBe(2);
  });

  it("leave no listener on a signal, so that one signal can serve a worker for ever", async () => {
    const waiters = new Waiters<number>();
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(signal, args);
    };
    const waiting = waiters.wait(signal);
    expect(listeners).toBe(1);
    waiters.give(1);
    await waiting;
    expect(listeners).toBe(0);
  });

  it("all get the same at the end", async () => {
    const waiters = new Waiters<string>();
    const waiting = [waiters.wait(), waiters.wait(), waiters.wait()];
    waiters.giveAll("end");
    expect(await Promise.all(waiting)).toEqual(["end", "end", "end"]);
  });
});
