import {
  AlreadyExistsError,
  type Client,
  mergePatch,
  NotFoundError,
  type ObjectToWrite,
} from "@keelson/client";
import {
  type Clock,
  dnsSubdomainProblem,
  formatTime,
  type KubeObject,
  type Random,
  type Resource,
  randomUuid,
} from "@keelson/core";
import { Event as CoreEvent } from "@keelson/core/kinds/core/v1";
import { Event } from "@keelson/core/kinds/events/v1";
import { formatMicroTime } from "../../leader/lease-record.ts";
import type { TrackedEvent } from "./correlator.ts";

/** Who reports. */
export interface EventSource {
  /** What runs, such as `example.com/webapp-operator`. */
  readonly reportingController: string;
  /** Which replica of it, such as the name of its pod. */
  readonly reportingInstance: string;
}

/** How Events look in one of the two APIs that serve them; the server keeps them in one place. */
export interface EventForm<T extends KubeObject> {
  readonly resource: Resource<T>;
  object(event: TrackedEvent): ObjectToWrite<T>;
  /** What changes when it happens again, as a merge patch. */
  repetition(event: TrackedEvent): object;
}

/** The server lets nothing but the series of such an Event change [EVR3]. */
export function eventsV1Form(source: EventSource): EventForm<Event> {
  const seriesOf = ({ count, lastAtMs }: TrackedEvent) => ({
    series: { count, lastObservedTime: formatMicroTime(lastAtMs) },
  });
  return {
    resource: Event,
    object: (event) => {
      const { name, namespace, count, first } = event;
      const { regarding, related, type, reason, action, note, atMs } = first;
      return {
        metadata: { name, namespace },
        eventTime: formatMicroTime(atMs),
        ...source,
        regarding,
        ...(related !== undefined && { related }),
        type,
        reason,
        action,
        note,
        ...(count > 1 && seriesOf(event)),
      };
    },
    repetition: seriesOf,
  };
}

/** Counts, and shows the latest message [EVR2]. */
export function coreV1Form({ reportingController, reportingInstance }: EventSource): EventForm<CoreEvent> {
  const repetition = ({ count, note, lastAtMs }: TrackedEvent) => ({
    count,
    message: note,
    lastTimestamp: formatTime(lastAtMs),
  });
  return {
    resource: CoreEvent,
    object: (event) => {
      const { name, namespace, first } = event;
      const { regarding, related, type, reason, action, atMs } = first;
      return {
        metadata: { name, namespace },
        firstTimestamp: formatTime(atMs),
        source: { component: reportingController },
        reportingComponent: reportingController,
        reportingInstance,
        involvedObject: regarding,
        ...(related !== undefined && { related }),
        type,
        reason,
        action,
        ...repetition(event),
      };
    },
    repetition,
  };
}

const nanosPerMs = 1_000_000;

/**
 * Makes names such as `web.18a5f3c2b7d4e6f1`: that of the object and the time in nanoseconds, in hex, as client-go does.
 * The clock knows milliseconds; the rest is drawn, so that replicas that tell of one object at one moment do not collide, and
 * grows within a recorder. Where no valid name comes of it, which not all kinds of objects ensure, it is a UUID.
 */
export function eventNames(clock: Clock, random: Random): (objectName: string) => string {
  let last = 0n;
  return (objectName) => {
    const drawn = BigInt(Math.floor(random.next() * nanosPerMs));
    const nanos = BigInt(Math.floor(clock.now())) * BigInt(nanosPerMs) + drawn;
    last = nanos > last ? nanos : last + 1n;
    const name = `${objectName}.${last.toString(16)}`;
    return dnsSubdomainProblem(name) === undefined ? name : randomUuid(random);
  };
}

/** Brings the Event on the server to its present state. */
export type WriteEvent = (event: TrackedEvent, signal: AbortSignal) => Promise<"create" | "patch">;

/** A server that takes longer is asked again. All other events wait meanwhile. */
const timeoutMs = 10_000;

export function eventWriter<T extends KubeObject>(client: Client, form: EventForm<T>): WriteEvent {
  const { resource } = form;
  const create = (event: TrackedEvent, signal: AbortSignal): Promise<T> =>
    client.create(resource, form.object(event), { signal, timeoutMs });
  const patch = ({ namespace, name }: TrackedEvent, change: object, signal: AbortSignal): Promise<T> =>
    client.patch(resource, { namespace, name }, mergePatch(change), { signal, timeoutMs });

  return async (event, signal) => {
    if (event.savedCount > 0) {
      try {
        await patch(event, form.repetition(event), signal);
        return "patch";
      } catch (error) {
        // Events live for an hour. One that is gone is made again, with its count.
        if (!(error instanceof NotFoundError)) throw error;
      }
    }
    try {
      await create(event, signal);
    } catch (error) {
      // An earlier try was carried out and its answer lost; it may have told of fewer repetitions.
      if (!(error instanceof AlreadyExistsError)) throw error;
      if (event.count > 1) await patch(event, form.repetition(event), signal);
    }
    return "create";
  };
}
