import { aborted } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { leaderRunnables } from "./runnable.ts";

/** A runnable that records its calls; its warm-up ends when its signal aborts or when its run ends. */
function makeRunnable() {
  const calls: string[] = [];
  const ended = Promise.withResolvers<void>();
  return {
    calls,
    fail: ended.reject,
    runnable: {
      name: "web",
      run: async (signal: AbortSignal) => {
        calls.push("run");
        await aborted(signal);
        calls.push("run ends");
        ended.resolve();
      },
      warmUp: async (signal: AbortSignal) => {
        calls.push("warm-up");
        await Promise.race([aborted(signal).then(() => calls.push("warm-up stopped")), ended.promise]);
      },
    },
  };
}

const ignore = (): void => undefined;

describe("the warm-up of a runnable", () => {
  it("[CT17] ends with the stop of warm-ups if the runnable was never run", async () => {
    const { calls, runnable } = makeRunnable();
    const stop = new AbortController();
    const warm = leaderRunnables(runnable).warmUp?.run(stop.signal, ignore);
    stop.abort();
    await warm;
    expect(calls).toEqual(["warm-up", "warm-up stopped"]);
  });

  it("[CT17] [MG2] does not end a run that has begun", async () => {
    const { calls, runnable } = makeRunnable();
    const { warmUp, run } = leaderRunnables(runnable);
    const [stopWarmUps, stopLeaders] = [new AbortController(), new AbortController()];
    const warm = warmUp?.run(stopWarmUps.signal, ignore);
    const running = run.run(stopLeaders.signal, ignore);
    stopWarmUps.abort();
    await warm;
    expect(calls).toEqual(["warm-up", "run"]);
    stopLeaders.abort();
    await running;
    expect(calls).toEqual(["warm-up", "run", "run ends"]);
  });

  it("[CT17] is skipped for a runnable that runs already, and reports its error", async () => {
    const late = makeRunnable();
    const { warmUp, run } = leaderRunnables(late.runnable);
    const stop = new AbortController();
    const running = run.run(stop.signal, ignore);
    await warmUp?.run(stop.signal, ignore);
    expect(late.calls).toEqual(["run"]);
    stop.abort();
    await running;

    const bad = makeRunnable();
    const failing = leaderRunnables(bad.runnable).warmUp?.run(new AbortController().signal, ignore);
    bad.fail(new Error("no sync"));
    await expect(failing).rejects.toThrow("no sync");
  });
});
