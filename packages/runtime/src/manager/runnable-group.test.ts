import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GroupStoppedError } from "./errors.ts";
import { type GroupMember, RunnableGroup } from "./runnable-group.ts";
import { aborted } from "./within.ts";

const failures: { member: string; message: string }[] = [];
const makeGroup = (): RunnableGroup => {
  failures.length = 0;
  return new RunnableGroup(
    "the test group",
    (member, { message }) => void failures.push({ member, message }),
  );
};

/** A member that is ready, ends and fails when the test says so, or, unless it is stubborn, when it is told to stop. */
function makeMember(name: string, { isStubborn = false } = {}) {
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const state = { starts: 0, reason: undefined as unknown };
  const member: GroupMember = {
    name,
    run: async (signal, isReady) => {
      state.starts += 1;
      void ready.promise.then(isReady);
      signal.addEventListener("abort", () => {
        state.reason = signal.reason;
        if (!isStubborn) ended.resolve();
      });
      await ended.promise;
    },
  };
  return { member, state, ready: ready.resolve, end: ended.resolve, fail: ended.reject };
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol("pending");
  for (let round = 0; round < 10; round++) await Promise.resolve();
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

describe("a group of runnables", () => {
  it("[MG5] starts nothing before its start, and then all of it together", async () => {
    const group = makeGroup();
    const [one, two] = [makeMember("one"), makeMember("two")];
    group.add(one.member);
    group.add(two.member);
    expect([one.state.starts, two.state.starts]).toEqual([0, 0]);
    const started = group.start();
    expect([one.state.starts, two.state.starts]).toEqual([1, 1]);
    one.ready();
    expect(await isSettled(started)).toBe(false);
    two.ready();
    await started;
    expect(group.running).toEqual(["one", "two"]);
  });

  it("[MG5] starts at once what is added after its start, and waits for it if it is not yet ready itself", async () => {
    const group = makeGroup();
    const [first, during, after] = [makeMember("first"), makeMember("during"), makeMember("after")];
    group.add(first.member);
    const started = group.start();
    group.add(during.member);
    expect(during.state.starts).toBe(1);
    first.ready();
    expect(await isSettled(started)).toBe(false);
    during.ready();
    await started;
    group.add(after.member);
    expect(after.state.starts).toBe(1);
  });

  it("[MG5] refuses what is added once it stops", async () => {
    const group = makeGroup();
    const stubborn = makeMember("stubborn", { isStubborn: true });
    group.add(stubborn.member);
    void group.start();
    const stopped = group.stop(new Error("over"));
    expect(() => group.add(makeMember("late").member)).toThrow(GroupStoppedError);
    stubborn.end();
    await stopped;
    expect(() => group.add(makeMember("later").member)).toThrow(
      "add later to the test group: they stop or have stopped; add it earlier",
    );
  });

  it("[MG6] does not start when it was stopped before", async () => {
    const group = makeGroup();
    const { member, state } = makeMember("never");
    group.add(member);
    await group.stop(new Error("over"));
    await group.start();
    expect(state.starts).toBe(0);
  });

  it("waits on stop until the last one has ended, and passes the reason on", async () => {
    const group = makeGroup();
    const [quick, slow] = [makeMember("quick"), makeMember("slow", { isStubborn: true })];
    group.add(quick.member);
    group.add(slow.member);
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

  it("[MG4] tells of every failure, and is not kept from its start by a member that fails before it is ready", async () => {
    const group = makeGroup();
    const [bad, good] = [makeMember("bad"), makeMember("good")];
    group.add(bad.member);
    group.add(good.member);
    const started = group.start();
    good.ready();
    bad.fail(new Error("no port"));
    await started;
    expect(failures).toEqual([{ member: "bad", message: "no port" }]);
    expect(group.running).toEqual(["good"]);
  });

  it("takes what is thrown before the first wait as a failure like any other", async () => {
    const group = makeGroup();
    group.add({
      name: "rash",
      run: () => {
        throw new Error("too early");
      },
    });
    await group.start();
    expect(failures).toEqual([{ member: "rash", message: "too early" }]);
  });

  it("does not run a member again after it has ended by itself", async () => {
    const group = makeGroup();
    const once = makeMember("once");
    group.add(once.member);
    void group.start();
    once.end();
    await group.stop(new Error("over"));
    expect(once.state.starts).toBe(1);
    expect(failures).toEqual([]);
  });

  it("[MG5] runs each member once and leaves none running, however adding, starting and stopping interleave", async () => {
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
              name: `member ${index}`,
              run: async (signal, isReady) => {
                starts.push(index);
                isReady();
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
