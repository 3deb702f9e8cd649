import { describe, expect, it } from "vitest";
import { leaderMembers } from "./warm-up.ts";
import { aborted } from "./within.ts";

/** A runnable that notes what it is told; its warm-up ends when it is told to or when its run ends. */
function makeRunnable() {
  const told: string[] = [];
  const ended = Promise.withResolvers<void>();
  return {
    told,
    fail: ended.reject,
    runnable: {
      name: "web",
      run: async (signal: AbortSignal) => {
        told.push("run");
        await aborted(signal);
        told.push("run ends");
        ended.resolve();
      },
      warmUp: async (signal: AbortSignal) => {
        told.push("warm-up");
        await Promise.race([aborted(signal).then(() => told.push("warm-up stopped")), ended.promise]);
      },
    },
  };
}

const ignore = (): void => undefined;

describe("the warm-up of a runnable", () => {
  it("[CT17] ends with the stop of warm-ups if it never led", async () => {
    const { told, runnable } = makeRunnable();
    const stop = new AbortController();
    const warm = leaderMembers(runnable).warmUp?.run(stop.signal, ignore);
    stop.abort();
    await warm;
    expect(told).toEqual(["warm-up", "warm-up stopped"]);
  });

  it("[CT17] [MG2] does not cut short a run that has begun", async () => {
    const { told, runnable } = makeRunnable();
    const { warmUp, run } = leaderMembers(runnable);
    const [stopWarmUps, stopLeaders] = [new AbortController(), new AbortController()];
    const warm = warmUp?.run(stopWarmUps.signal, ignore);
    const running = run.run(stopLeaders.signal, ignore);
    stopWarmUps.abort();
    await warm;
    expect(told).toEqual(["warm-up", "run"]);
    stopLeaders.abort();
    await running;
    expect(told).toEqual(["warm-up", "run", "run ends"]);
  });

  it("[CT17] is left out for one that runs already, and fails as a member does", async () => {
    const late = makeRunnable();
    const { warmUp, run } = leaderMembers(late.runnable);
    const stop = new AbortController();
    const running = run.run(stop.signal, ignore);
    await warmUp?.run(stop.signal, ignore);
    expect(late.told).toEqual(["run"]);
    stop.abort();
    await running;

    const bad = makeRunnable();
    const failing = leaderMembers(bad.runnable).warmUp?.run(new AbortController().signal, ignore);
    bad.fail(new Error("no sync"));
    await expect(failing).rejects.toThrow("no sync");
  });
});
