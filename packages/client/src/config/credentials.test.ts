import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { Rotating } from "./credentials.ts";

function setUp(initial?: string) {
  const clock = new VirtualClock();
  const state = { content: "one" as string | Error, loads: 0, warnings: [] as string[] };
  const rotating = new Rotating({
    load: async () => {
      state.loads += 1;
      if (state.content instanceof Error) throw state.content;
      return state.content;
    },
    clock,
    intervalMs: 60_000,
    ...(initial !== undefined && { initial }),
    onWarning: (message) => state.warnings.push(message),
  });
  return { clock, state, rotating };
}

describe("a rotating value", () => {
  it("is loaded once per interval", async () => {
    const { clock, state, rotating } = setUp();
    expect(await rotating.get()).toBe("one");
    state.content = "two";
    await clock.advance(59_999);
    expect(await rotating.get()).toBe("one");
    expect(state.loads).toBe(1);
    await clock.advance(1);
    expect(await rotating.get()).toBe("two");
  });

  it("is loaded at once after it was declared stale", async () => {
    const { state, rotating } = setUp();
    await rotating.get();
    state.content = "two";
    rotating.expire();
    expect(await rotating.get()).toBe("two");
  });

  it("outlives a load that fails, warns once per failure, and recovers", async () => {
    const { clock, state, rotating } = setUp();
    await rotating.get();
    state.content = new Error("the file is gone");
    await clock.advance(60_000);
    expect(await rotating.get()).toBe("one");
    expect(await rotating.get()).toBe("one");
    expect(state.loads).toBe(2);
    await clock.advance(5_000);
    expect(await rotating.get()).toBe("one");
    expect(state.loads).toBe(3);
    expect(state.warnings).toEqual(["the file is gone (the last good value stays in use)"]);
    state.content = "two";
    await clock.advance(5_000);
    expect(await rotating.get()).toBe("two");
  });

  it("is an error as long as there never was one", async () => {
    const { state, rotating } = setUp();
    state.content = new Error("no such file");
    await expect(rotating.get()).rejects.toThrow("no such file");
    state.content = "one";
    expect(await rotating.get()).toBe("one");
    expect(state.warnings).toEqual([]);
  });

  it("starts with the initial value while the first load fails", async () => {
    const { state, rotating } = setUp("zero");
    state.content = new Error("not yet");
    expect(await rotating.get()).toBe("zero");
    state.content = "one";
    rotating.expire();
    expect(await rotating.get()).toBe("one");
  });

  it("throws the reason of an abort instead of an old value", async () => {
    const { clock, state, rotating } = setUp();
    await rotating.get();
    await clock.advance(60_000);
    const controller = new AbortController();
    state.content = new Error("aborted reading");
    const getting = rotating.get(controller.signal);
    controller.abort(new Error("enough"));
    await expect(getting).rejects.toThrow("enough");
    await expect(rotating.get(controller.signal)).rejects.toThrow("enough");
  });
});
