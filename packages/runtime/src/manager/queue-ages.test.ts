import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { RecordingControllerObserver } from "../../test/support/recording-controller-observer.ts";
import { QueueStuckError } from "../telemetry/health/errors.ts";
import { ControllerQueueAges } from "./queue-ages.ts";

const minuteMs = 60_000;

/** A queue whose ages the test sets, and which is checked every minute. */
function setUp() {
  const clock = new VirtualClock();
  const ages = new ControllerQueueAges(clock);
  const observer = ages.observer(new RecordingControllerObserver());
  const queue = observer.queueObserver("webapp");
  const work = { totalMs: 0, longestMs: 0, oldestReadyMs: 0 };
  queue?.unfinishedWork(() => work);
  const check = ages.check(60 * minuteMs);
  const runCheck = async (): Promise<void> => check(new AbortController().signal);
  const checkFor = async (minutes: number, each: () => void = () => undefined): Promise<void> => {
    for (let minute = 0; minute < minutes; minute++) {
      await clock.advance(minuteMs);
      each();
      await runCheck();
    }
  };
  return { observer, queue, work, runCheck, checkFor };
}

describe("the age of a controller's work", () => {
  it("is too high when a reconcile runs for too long", async () => {
    const { work, runCheck } = setUp();
    work.longestMs = 60 * minuteMs;
    await runCheck();
    work.longestMs += 1;
    await expect(runCheck()).rejects.toThrow("check queue webapp: a reconcile has been running for 3600 s");
  });

  it("is too high when keys wait and no worker has dequeued one for too long", async () => {
    const { observer, work, checkFor } = setUp();
    observer.started("webapp", 1);
    work.oldestReadyMs = 90 * minuteMs;
    await checkFor(61);
    await expect(checkFor(1)).rejects.toThrow(QueueStuckError);
    work.oldestReadyMs = 0;
    await checkFor(120);
  });

  it("is not too high when a long queue becomes shorter, however long its keys wait", async () => {
    const { observer, queue, work, checkFor } = setUp();
    observer.started("webapp", 1);
    work.oldestReadyMs = 900 * minuteMs;
    let minutes = 0;
    await checkFor(300, () => {
      minutes += 1;
      if (minutes % 50 === 0) queue?.waited(1);
    });
  });

  it("is not too high while keys wait for workers that have not started", async () => {
    const { observer, work, checkFor } = setUp();
    work.oldestReadyMs = 900 * minuteMs;
    await checkFor(300);
    observer.started("another", 1);
    await checkFor(300);
    observer.started("webapp", 1);
    await checkFor(60);
    await expect(checkFor(1)).rejects.toThrow("a key has been waiting for 3660 s");
  });
});
