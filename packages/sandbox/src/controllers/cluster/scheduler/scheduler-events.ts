import { formatTime, type Stored } from "@keelson/core";
import { Event, type Pod } from "@keelson/core/kinds/core/v1";
import { ApiError } from "../../../status/api-error.ts";
import type { ControllerContext } from "../../controller.ts";

export interface SchedulerEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly action: "Binding" | "Scheduling";
  readonly message: string;
}

const reporter = "default-scheduler";

/**
 * Records Events as the scheduler does, in the newer form: with an action, a time to the microsecond, and repetitions
 * as a series.
 */
export function createSchedulerEvents({
  objects,
  clock,
  reportError,
}: ControllerContext): (pod: Stored<Pod>, event: SchedulerEvent) => void {
  const known = new Map<string, string>();
  let lastWrite = Promise.resolve();
  let serial = 0n;

  async function write(pod: Stored<Pod>, event: SchedulerEvent): Promise<void> {
    const { namespace, name, uid } = pod.metadata;
    const id = JSON.stringify([uid, event.reason, event.message]);
    const eventName = known.get(id);
    const existing = eventName === undefined ? undefined : objects.get(Event, { namespace, name: eventName });
    const lastObservedTime = microTime(clock.now());
    if (existing !== undefined) {
      const series = { count: (existing.series?.count ?? 1) + 1, lastObservedTime };
      await objects.update(Event, { ...existing, series }, { manager: "kube-scheduler" });
      return;
    }
    const suffix = (BigInt(Math.floor(clock.now())) * 1_000_000n + (serial++ % 1_000_000n)).toString(16);
    known.set(id, `${name}.${suffix}`);
    const { action, message, reason, type } = event;
    const metadata = { name: `${name}.${suffix}`, namespace };
    const { resourceVersion } = pod.metadata;
    await objects.create(
      Event,
      {
        apiVersion: "v1",
        kind: "Event",
        metadata,
        involvedObject: { kind: "Pod", namespace, name, uid, apiVersion: "v1", resourceVersion },
        reason,
        message,
        source: {},
        eventTime: lastObservedTime,
        type,
        action,
        reportingComponent: reporter,
        reportingInstance: `${reporter}-0`,
      },
      { manager: "kube-scheduler" },
    );
  }

  return (pod, event) => {
    lastWrite = lastWrite.then(async () => {
      try {
        await write(pod, event);
      } catch (error) {
        // An Event in a namespace that is being deleted is refused, and no longer needed.
        if (!(error instanceof ApiError)) reportError(reporter, error);
      }
    });
  };
}

function microTime(ms: number): string {
  return formatTime(ms).replace("Z", `.${String(Math.floor(ms) % 1000).padStart(3, "0")}000Z`);
}
