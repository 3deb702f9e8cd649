import { VirtualClock } from "@keelson/testkit";
import { expect, it } from "vitest";
import { callCleanUp, isUnfinished } from "./finalizers.ts";

/** The part of a context by which a clean-up is shown, and the reasons of its Events. */
function cleanUpWorld(signal = new AbortController().signal) {
  const clock = new VirtualClock();
  const reasons: string[] = [];
  const event = (_type: string, reason: string): void => void reasons.push(reason);
  return { clock, reasons, context: { clock, event, signal } };
}

it("shows a clean-up that takes long by an Event, once, and leaves no timer", async () => {
  const { clock, reasons, context } = cleanUpWorld();
  const done = Promise.withResolvers<void>();
  const running = callCleanUp("example.com/a", () => done.promise, context);
  await clock.advance(29_999);
  expect(reasons).toEqual([]);
  await clock.advance(60_000);
  expect(reasons).toEqual(["CleanupSlow"]);
  done.resolve();
  await running;
  expect(clock.pendingTimers).toEqual([]);
});

it("shows a failure by an Event, unless the controller stops", async () => {
  const fail = () => Promise.reject(new Error("in use"));
  const running = cleanUpWorld();
  await expect(callCleanUp("example.com/a", fail, running.context)).rejects.toThrow("in use");
  expect(running.reasons).toEqual(["CleanupFailed"]);
  const stopped = cleanUpWorld(AbortSignal.abort());
  await expect(callCleanUp("example.com/a", fail, stopped.context)).rejects.toThrow("in use");
  expect(stopped.reasons).toEqual([]);
});

it("keeps the finalizer after every result but success", () => {
  expect([undefined, {}, { requeueAfterMs: 0 }].map(isUnfinished)).toEqual([false, false, false]);
  const unfinished = [{ requeueAfterMs: 5 }, { requeue: true }, { requeueAfterMs: Number.NaN }];
  expect(unfinished.map(isUnfinished)).toEqual([true, true, true]);
});
