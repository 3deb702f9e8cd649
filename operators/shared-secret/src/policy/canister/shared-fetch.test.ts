import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { SharedFetch } from "./shared-fetch.ts";

/** Fetches that the test ends. */
function start() {
  const clock = new VirtualClock();
  const fetches: { readonly signal: AbortSignal; readonly end: PromiseWithResolvers<string> }[] = [];
  const shared = new SharedFetch({
    fetch: (signal) => {
      const end = Promise.withResolvers<string>();
      fetches.push({ signal, end });
      signal.addEventListener("abort", () => end.reject(signal.reason));
      return end.promise;
    },
    maxAgeMs: 5_000,
    clock,
  });
  const never = new AbortController().signal;
  return { clock, fetches, shared, get: (signal = never) => shared.get(signal) };
}

describe("a shared fetch", () => {
  it("serves all that wait for it", async () => {
    const { fetches, get } = start();
    const reads = Promise.all([get(), get()]);
    fetches[0]?.end.resolve("one");
    expect(await reads).toEqual(["one", "one"]);
    expect(fetches).toHaveLength(1);
  });

  it("serves later readers for as long as its value may be used", async () => {
    const { clock, fetches, get } = start();
    const first = get();
    await clock.advance(60_000);
    fetches[0]?.end.resolve("one");
    await first;
    await clock.advance(5_000);
    expect(await get()).toBe("one");
    await clock.advance(1);
    const second = get();
    fetches[1]?.end.resolve("two");
    expect(await second).toBe("two");
  });

  it("passes a failure to those that wait, and fetches again for the next reader", async () => {
    const { fetches, get } = start();
    const reads = Promise.allSettled([get(), get()]);
    fetches[0]?.end.reject(new Error("broken"));
    expect((await reads).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const next = get();
    fetches[1]?.end.resolve("one");
    expect(await next).toBe("one");
  });

  it("goes on when one of its waiters leaves", async () => {
    const { fetches, get } = start();
    const leaving = new AbortController();
    const left = get(leaving.signal);
    const stays = get();
    leaving.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    fetches[0]?.end.resolve("one");
    expect(await stays).toBe("one");
  });

  it("ends when the last of its waiters leaves", async () => {
    const { fetches, get } = start();
    const leaving = new AbortController();
    const left = get(leaving.signal);
    leaving.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    expect(fetches[0]?.signal.aborted).toBe(true);
    const next = get();
    fetches[1]?.end.resolve("two");
    expect(await next).toBe("two");
  });

  it("fetches nothing for a reader that left before", async () => {
    const { fetches, get } = start();
    await expect(get(AbortSignal.abort(new Error("left")))).rejects.toThrow("left");
    expect(fetches).toEqual([]);
  });

  it("does not serve readers after a drop, whether its value has arrived or not", async () => {
    const { fetches, shared, get } = start();
    const first = get();
    shared.drop();
    const second = get();
    fetches[0]?.end.resolve("old");
    expect(await first).toBe("old");
    fetches[1]?.end.resolve("new");
    expect(await second).toBe("new");
    expect(await get()).toBe("new");
    shared.drop();
    const third = get();
    fetches[2]?.end.resolve("newer");
    expect(await third).toBe("newer");
  });
});
