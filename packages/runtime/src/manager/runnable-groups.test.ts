import { aborted } from "@keelson/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GroupStoppedError } from "./errors.ts";
import type { GroupRunnable } from "./runnable.ts";
import { RunnableGroup } from "./runnable-groups.ts";

const failures: { name: string; message: string }[] = [];
const makeGroup = (): RunnableGroup => {
  failures.length = 0;
  return new RunnableGroup("the test group", (name, { message }) => void failures.push({ name, message }));
};

/** A runnable that the test makes ready, ends or fails; unless it is stubborn, it also ends when its signal aborts. */
function makeRunnable(name: string, { isStubborn = false } = {}) {
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const state = { starts: 0, reason: undefined as unknown };
  const runnable: GroupRunnable = {
    name,
    run: async (signal, onReady) => {
      state.starts += 1;
      void ready.promise.then(onReady);
      signal.addEventListener("abort", () => {
        state.reason = signal.reason;
        if (!isStubborn) ended.resolve();
      });
      await ended.promise;
    },
  };
  return { runnable, state, ready: ready.resolve, end: ended.resolve, fail: ended.reject };
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol("pending");
  for (let round = 0; round < 10; round++) await Promise.resolve();
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

describe("a group of runnables", () => {
  it("[MG5] starts no runnable before its start, and then all of them together", async () => {
    const group = makeGroup();
    const [one, two] = [makeRunnable("one"), makeRunnable("two")];
    group.add(one.runnable);
    group.add(two.runnable);
    expect([one.state.starts, two.state.starts]).toEqual([0, 0]);
    const started = group.start();
    expect([one.state.starts, two.state.starts]).toEqual([1, 1]);
    one.ready();
    expect(await isSettled(started)).toBe(false);
    two.ready();
    await started;
    expect(group.running).toEqual(["one", "two"]);
  });

  it("[MG5] starts at once a runnable that is added after its start, and waits for it if it is not ready itself", async () => {
    const group = makeGroup();
    const [first, during, after] = [makeRunnable("first"), makeRunnable("during"), makeRunnable("after")];
    group.add(first.runnable);
    const started = group.start();
    group.add(during.runnable);
    expect(during.state.starts).toBe(1);
    first.ready();
    expect(await isSettled(started)).toBe(false);
    during.ready();
    await started;
    group.add(after.runnable);
    expect(after.state.starts).toBe(1);
  });

  it("[MG5] refuses a runnable once it stops", async () => {
    const group = makeGroup();
    const stubborn = makeRunnable("stubborn", { isStubborn: true });
    group.add(stubborn.runnable);
    void group.start();
    const stopped = group.stop(new Error("over"));
    expect(() => group.add(makeRunnable("late").runnable)).toThrow(GroupStoppedError);
    stubborn.end();
    await stopped;
    expect(() => group.add(makeRunnable("later").runnable)).toThrow(
      "add later to the test group: they are stopping or have stopped; add it earlier",
    );
  });

  it("[MG6] does not start when it was stopped before", async () => {
    const group = makeGroup();
    const { runnable, state } = makeRunnable("never");
    group.add(runnable);
    await group.stop(new Error("over"));
    await group.start();
    expect(state.starts).toBe(0);
  });

  it("waits on stop until the last runnable has ended, and passes the reason on", async () => {
    const group = makeGroup();
    const [quick, slow] = [makeRunnable("quick"), makeRunnable("slow", { isStubborn: true })];
    group.add(quick.runnable);
    group.add(slow.runnable);
    void group.start();
    const reason = new Error("over");
    const stopped = group.stop(reason);
    expect(await isSettled(stopped)).toBe(false);
    expect(group.running).toEqual(["slow"]);
    slow.end();
    await stopped;
    expect(slow.state.reason).toBe(reason);
    expect(group.running).toEqual([]);
  });

  it("[MG4] reports every failure, and starts although a runnable fails before it is ready", async () => {
    const group = makeGroup();
    const [bad, good] = [makeRunnable("bad"), makeRunnable("good")];
    group.add(bad.runnable);
    group.add(good.runnable);
    const started = group.start();
    good.ready();
    bad.fail(new Error("no port"));
    await started;
    expect(failures).toEqual([{ name: "bad", message: "no port" }]);
    expect(group.running).toEqual(["good"]);
  });

  it("reports an error that is thrown synchronously", async () => {
    const group = makeGroup();
    group.add({
      name: "rash",
      run: () => {
        throw new Error("too early");
      },
    });
    await group.start();
    expect(failures).toEqual([{ name: "rash", message: "too early" }]);
  });

  it("does not run a runnable again after it has ended by itself", async () => {
    const group = makeGroup();
    const once = makeRunnable("once");
    group.add(once.runnable);
    void group.start();
    once.end();
    await group.stop(new Error("over"));
    expect(once.state.starts).toBe(1);
    expect(failures).toEqual([]);
  });

  it("[MG5] runs each runnable once and leaves none running, in whatever order it is added to, started and stopped", async () => {
    const commands = fc.array(fc.constantFrom("add", "start", "stop", "wait"), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        const group = makeGroup();
        const starts: number[] = [];
        let phase: "new" | "started" | "stopped" = "new";
        const expected: number[] = [];
        for (const [index, command] of sequence.entries()) {
          if (command === "add" && phase === "stopped")
            expect(() => group.add({ name: "x", run: async () => undefined })).toThrow(GroupStoppedError);
          else if (command === "add") {
            expected.push(index);
            group.add({
              name: `runnable ${index}`,
              run: async (signal, onReady) => {
                starts.push(index);
                onReady();
                await aborted(signal);
              },
            });
          } else if (command === "start") {
            void group.start();
            if (phase === "new") phase = "started";
          } else if (command === "stop") {
            void group.stop(new Error("over"));
            if (phase === "new") expected.length = 0;
            phase = "stopped";
          } else await Promise.resolve();
        }
        if (phase === "new") expected.length = 0;
        await group.stop(new Error("over"));
        expect(starts).toEqual(expected);
        expect(group.running).toEqual([]);
      }),
    );
  });
});
