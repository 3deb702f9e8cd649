import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { RecordingControllerObserver } from "../../test/support/recording-controller-observer.ts";
import { QueueStuckError } from "../telemetry/health/errors.ts";
import { QueueAges } from "./queue-ages.ts";

const minuteMs = 60_000;

/** A queue that says of itself what the test says, and is looked at every minute. */
function setUp() {
  const clock = new VirtualClock();
  const ages = new QueueAges(clock);
  const observer = ages.observer(new RecordingControllerObserver());
  const queue = observer.queueObserver("webapp");
  const work = { totalMs: 0, longestMs: 0, oldestReadyMs: 0 };
  queue?.unfinishedWork(() => work);
  const check = ages.check(60 * minuteMs);
  const look = async (): Promise<void> => check(new AbortController().signal);
  const lookFor = async (minutes: number, each: () => void = () => undefined): Promise<void> => {
    for (let minute = 0; minute < minutes; minute++) {
      await clock.advance(minuteMs);
      each();
      await look();
    }
  };
  return { observer, queue, work, look, lookFor };
}

describe("the age of a controller's work", () => {
  it("is too high when a reconcile runs for too long", async () => {
    const { work, look } = setUp();
    work.longestMs = 60 * minuteMs;
    await look();
    work.longestMs += 1;
    await expect(look()).rejects.toThrow("check queue webapp: an item has been worked on for 3600 s");
  });

  it("is too high when something waits and no worker has taken anything for too long", async () => {
    const { observer, work, lookFor } = setUp();
    observer.started("webapp", 1);
    work.oldestReadyMs = 90 * minuteMs;
    await lookFor(61);
    await expect(lookFor(1)).rejects.toThrow(QueueStuckError);
    work.oldestReadyMs = 0;
    await lookFor(120);
  });

  it("is not too high when a long queue gets shorter, however long its items wait", async () => {
    const { observer, queue, work, lookFor } = setUp();
    observer.started("webapp", 1);
    work.oldestReadyMs = 900 * minuteMs;
    let minutes = 0;
    await lookFor(300, () => {
      minutes += 1;
      if (minutes % 50 === 0) queue?.waited(1);
    });
  });

  it("is not too high while items gather for workers that have not started", async () => {
    const { observer, work, lookFor } = setUp();
    work.oldestReadyMs = 900 * minuteMs;
    await lookFor(300);
    observer.started("another", 1);
    await lookFor(300);
    observer.started("webapp", 1);
    await lookFor(60);
    await expect(lookFor(1)).rejects.toThrow("an item has been waiting for 3660 s");
  });
});
