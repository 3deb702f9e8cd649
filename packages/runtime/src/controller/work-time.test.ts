import type { Caller } from "@keelson/client";
import { VirtualClock } from "@keelson/testkit";
import { expect, it } from "vitest";
import { WorkTime } from "./work-time.ts";

function world() {
  const clock = new VirtualClock();
  const answers: PromiseWithResolvers<unknown>[] = [];
  const call = (): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>();
    answers.push(answer);
    return answer.promise;
  };
  const server: Caller = { json: call, raw: call, stream: () => (async function* () {})() };
  const time = new WorkTime(clock.monotonicNow(), () => clock.monotonicNow());
  const { raw } = time.layer(server);
  const ask = () => raw({ path: "/version" });
  const answer = async (index: number) => {
    answers[index]?.resolve(undefined);
    await clock.settle();
  };
  return { clock, ask, answer, take: () => time.takeMs(clock.monotonicNow()) };
}

it("is all the time that a run does not wait for the server, since it was last asked for", async () => {
  const { clock, ask, answer, take } = world();
  await clock.advance(10);
  expect([take(), take()]).toEqual([10, 0]);
  await clock.advance(5);
  const asked = ask();
  await clock.advance(100);
  expect([take(), take()]).toEqual([5, 0]);
  await answer(0);
  await asked;
  await clock.advance(7);
  void ask();
  await clock.advance(100);
  expect(take()).toBe(7);
});

it("goes on with the first of several answers", async () => {
  const { clock, ask, answer, take } = world();
  void ask();
  void ask();
  await clock.advance(100);
  expect(take()).toBe(0);
  await answer(1);
  await clock.advance(30);
  expect(take()).toBe(30);
});

it("goes on when a call fails", async () => {
  const clock = new VirtualClock();
  const failing = async () => {
    throw new Error("no");
  };
  const server: Caller = { json: failing, raw: failing, stream: () => (async function* () {})() };
  const time = new WorkTime(0, () => clock.monotonicNow());
  await expect(time.layer(server).raw({ path: "/version" })).rejects.toThrow("no");
  await clock.advance(30);
  expect(time.takeMs(clock.monotonicNow())).toBe(30);
});
