import { keyOf, type Stored } from "@keelson/core";
import { Event } from "@keelson/core/kinds/core/v1";
import { controllerManager, type StartController } from "../controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../key-loop.ts";
import { ignoreNotFound } from "../refusals.ts";
import { timeOf } from "../workloads/pod-state.ts";

/** The default of the `--event-ttl` flag of the real server. */
const keptMs = 3_600_000;

/** Deletes an Event an hour after it was last counted, so that Events do not accumulate. */
export const startEventExpiry: StartController = (context) => {
  const { objects, clock } = context;
  const loop = startKeyLoop({
    name: "event-expiry",
    context,
    async reconcile(key) {
      const event = objects.get(Event, parseLoopKey(key));
      if (event === undefined) return;
      const left = lastSeen(event) + keptMs - clock.now();
      if (left > 0) loop.enqueueAfter(key, left);
      else await ignoreNotFound(objects.delete(Event, keyOf(event), { manager: controllerManager }));
    },
  });
  // One that is seen again is looked at when its former time is over, and then waits on.
  const stopWatch = context.watch(Event, ({ type, object }) => {
    if (type === "ADDED") loop.enqueue(loopKey(object));
  });
  return async () => {
    stopWatch();
    await loop.stop();
  };
};

function lastSeen({ metadata, lastTimestamp, eventTime, series }: Stored<Event>): number {
  const times = [metadata.creationTimestamp, lastTimestamp, eventTime, series?.lastObservedTime];
  return Math.max(0, ...times.flatMap((time) => timeOf(time) ?? []));
}
