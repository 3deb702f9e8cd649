import { expect, it } from "vitest";
import { BusyClock } from "../../test/support/controller-world.ts";
import { type Heard, Heartbeat, heartbeatMs } from "./heartbeat.ts";

function heartbeatWorld() {
  const clock = new BusyClock();
  const reports: [number, readonly string[]][] = [];
  const running = new Map<string, Heard>();
  const heartbeat = new Heartbeat({
    clock,
    running: () => running.values(),
    onBlocked: (ms, suspects) => reports.push([ms, suspects]),
  });
  /** It works as long as it runs, unless it is said for how long at most. */
  const begin = (keyText: string, takeWorkMs = () => Number.POSITIVE_INFINITY): void => {
    running.set(keyText, { keyText, takeWorkMs });
    heartbeat.begin(clock.monotonicNow());
  };
  const end = (keyText: string): void => {
    const ended = running.get(keyText);
    if (ended === undefined) throw new Error(`${keyText} does not run`);
    running.delete(keyText);
    heartbeat.end(ended, clock.monotonicNow());
  };
  return { clock, reports, heartbeat, begin, end };
}

it("beats only while something runs", async () => {
  const { clock, begin, end } = heartbeatWorld();
  expect(clock.virtual.pendingTimers).toHaveLength(0);
  begin("a");
  await clock.virtual.advance(1000);
  expect(clock.virtual.pendingTimers).toHaveLength(1);
  end("a");
  await clock.virtual.advance(heartbeatMs);
  expect(clock.virtual.pendingTimers).toHaveLength(0);
});

it("[CT19] reports by how much a beat was late, and what ran", async () => {
  const { clock, reports, heartbeat, begin } = heartbeatWorld();
  begin("a");
  clock.work(120);
  await clock.virtual.advance(heartbeatMs);
  expect(reports).toEqual([[120, ["a"]]]);
  heartbeat.stop();
});

it("[CT19] names what blocked it even if that has ended by the time of the beat", async () => {
  const { clock, reports, begin, end } = heartbeatWorld();
  begin("a");
  clock.work(120);
  end("a");
  await clock.virtual.advance(heartbeatMs);
  expect(reports).toEqual([[120, ["a"]]]);
});

it("[CT19] keeps silent if nothing ran that could have blocked it", async () => {
  const { clock, reports, begin, end } = heartbeatWorld();
  begin("a");
  end("a");
  clock.work(500);
  await clock.virtual.advance(heartbeatMs);
  expect(reports).toEqual([]);
});

it("[CT19] names only what can have kept the event loop for so long", async () => {
  const { clock, reports, heartbeat, begin, end } = heartbeatWorld();
  const waiting = () => 50;
  begin("waited", waiting);
  begin("ended", waiting);
  clock.work(120);
  end("ended");
  await clock.virtual.advance(heartbeatMs);
  expect(reports).toEqual([]);
  begin("worked", () => 51);
  clock.work(120);
  await clock.virtual.advance(heartbeatMs);
  expect(reports).toEqual([[120, ["worked"]]]);
  heartbeat.stop();
});

it("[CT19] keeps silent about 50 ms, and about what has been reported already", async () => {
  const { clock, reports, heartbeat, begin } = heartbeatWorld();
  begin("a");
  clock.work(50);
  await clock.virtual.advance(heartbeatMs);
  clock.work(500);
  heartbeat.excuse(clock.monotonicNow());
  await clock.virtual.advance(heartbeatMs);
  expect(reports).toEqual([]);
  heartbeat.stop();
});

it("is overdue until the beat has come, and then lets those go who wait", async () => {
  const { clock, heartbeat, begin } = heartbeatWorld();
  begin("a");
  expect(heartbeat.isOverdue(clock.monotonicNow())).toBe(false);
  clock.work(heartbeatMs);
  expect(heartbeat.isOverdue(clock.monotonicNow())).toBe(true);
  const next = heartbeat.next();
  await clock.virtual.advance(heartbeatMs);
  await next;
  expect(heartbeat.isOverdue(clock.monotonicNow())).toBe(false);
  heartbeat.stop();
});

it("leaves no timer and nobody waiting when it is stopped", async () => {
  const { clock, heartbeat, begin } = heartbeatWorld();
  begin("a");
  const next = heartbeat.next();
  heartbeat.stop();
  await next;
  expect(clock.virtual.pendingTimers).toHaveLength(0);
});
