import { type Clock, formatTime, type KubeObject } from "@keelson/core";
import { Event } from "@keelson/core/kinds/core/v1";
import type { ObjectApi } from "../server/write/object-api.ts";
import { ApiError } from "../status/api-error.ts";
import type { ControllerEvent } from "./controller.ts";
import { type CorrelatedEvent, createEventCorrelator } from "./event-correlator.ts";

export interface EventRecorder {
  record(regarding: KubeObject, event: ControllerEvent): void;
  /** Waits until everything recorded so far is written. */
  flush(): Promise<void>;
}

export interface EventRecorderOptions {
  readonly objects: ObjectApi;
  readonly clock: Clock;
  readonly manager: string;
  onError(error: unknown): void;
}

/** Writes Events one after another, and counts repetitions in the Event that is there already. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { objects, clock, manager, onError } = options;
  const correlate = createEventCorrelator(clock);
  let lastWrite = Promise.resolve();
  let serial = 0n;

  async function write(regarding: KubeObject, event: ControllerEvent): Promise<void> {
    const correlated = correlate(regarding, event);
    if (correlated === undefined) return;
    const { namespace = "default" } = regarding.metadata;
    const seen =
      correlated.series.name === undefined ? undefined : { namespace, name: correlated.series.name };
    const existing = seen === undefined ? undefined : objects.get(Event, seen);
    const now = formatTime(clock.now());
    if (existing !== undefined) {
      const { count = 1 } = existing;
      const { message } = correlated;
      await objects.update(
        Event,
        { ...existing, message, count: count + 1, lastTimestamp: now },
        { manager },
      );
      return;
    }
    const created = makeEvent(regarding, event, correlated, now);
    // Names must differ also where the clock stands still.
    const name = `${regarding.metadata.name ?? ""}.${eventSuffix(clock.now(), serial++)}`;
    correlated.series.name = name;
    await objects.create(Event, { ...created, metadata: { name, namespace } }, { manager });
  }

  return {
    record(regarding, event) {
      lastWrite = lastWrite.then(async () => {
        try {
          await write(regarding, event);
        } catch (error) {
          // An Event of a namespace that goes is refused; it is of no use any more.
          if (!(error instanceof ApiError)) onError(error);
        }
      });
    },
    flush: () => lastWrite,
  };
}

/** As the real recorder does it: the time in nanoseconds, in hexadecimal digits. */
function eventSuffix(nowMs: number, serial: bigint): string {
  return (BigInt(Math.floor(nowMs)) * 1_000_000n + (serial % 1_000_000n)).toString(16);
}

function makeEvent(
  regarding: KubeObject,
  { component, type, reason }: ControllerEvent,
  { message }: CorrelatedEvent,
  now: string,
): Omit<Event, "metadata"> {
  const { namespace, name, uid, resourceVersion } = regarding.metadata;
  return {
    apiVersion: "v1",
    kind: "Event",
    involvedObject: {
      kind: regarding.kind,
      ...(namespace === undefined ? {} : { namespace }),
      ...(name === undefined ? {} : { name }),
      ...(uid === undefined ? {} : { uid }),
      apiVersion: regarding.apiVersion,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    reason,
    message,
    source: { component },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    type,
    reportingComponent: component,
    reportingInstance: "",
  };
}
