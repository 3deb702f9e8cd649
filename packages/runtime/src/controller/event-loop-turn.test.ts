import { expect, it } from "vitest";
import { BusyClock } from "../../test/support/controller-world.ts";
import { EventLoopTurn, turnMs } from "./event-loop-turn.ts";

it("has a timer only while something runs", async () => {
  const clock = new BusyClock();
  const turn = new EventLoopTurn(clock);
  expect(clock.virtual.pendingTimers).toHaveLength(0);
  turn.begin(clock.monotonicNow());
  await clock.virtual.advance(1000);
  expect(clock.virtual.pendingTimers).toHaveLength(1);
  turn.end();
  await clock.virtual.advance(turnMs);
  expect(clock.virtual.pendingTimers).toHaveLength(0);
});

it("is overdue until its timer has run, which resolves what waits for it", async () => {
  const clock = new BusyClock();
  const turn = new EventLoopTurn(clock);
  turn.begin(clock.monotonicNow());
  expect(turn.isOverdue(clock.monotonicNow())).toBe(false);
  clock.work(turnMs);
  expect(turn.isOverdue(clock.monotonicNow())).toBe(true);
  const next = turn.next();
  await clock.virtual.advance(turnMs);
  await next;
  expect(turn.isOverdue(clock.monotonicNow())).toBe(false);
  turn.stop();
});

it("leaves no timer and no waiting worker when it is stopped", async () => {
  const clock = new BusyClock();
  const turn = new EventLoopTurn(clock);
  turn.begin(clock.monotonicNow());
  const next = turn.next();
  turn.stop();
  await next;
  expect(clock.virtual.pendingTimers).toHaveLength(0);
});
