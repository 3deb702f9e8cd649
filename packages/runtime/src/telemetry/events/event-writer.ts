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

/** The reporter of Events. */
export interface EventSource {
  /** The name of the controller, such as `example.com/webapp-operator`. */
  readonly reportingController: string;
  /** The replica, such as the name of its pod. */
  readonly reportingInstance: string;
}

/** The representation of Events in one of the two APIs that serve them; the server stores both as the same objects. */
export interface EventForm<T extends KubeObject> {
  readonly resource: Resource<T>;
  object(event: TrackedEvent): ObjectToWrite<T>;
  /** The merge patch for a repetition. */
  repetition(event: TrackedEvent): object;
}

/** Events of events.k8s.io/v1, of which the server allows only the series to change [EVR3]. */
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

/** Events of core/v1, with a count and the latest message [EVR2]. */
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
 * Makes names such as `web.18a5f3c2b7d4e6f1`: the name of the object and the time in nanoseconds, in hex, as client-go
 * does. The clock has milliseconds; the rest is random, so that replicas do not collide, and increases within a recorder.
 * If that is no valid name, since not every kind has names that are DNS subdomains, it is a UUID.
 */
export function eventNames(clock: Clock, random: Random): (objectName: string) => string {
  let last = 0n;
  return (objectName) => {
    const fraction = BigInt(Math.floor(random.next() * nanosPerMs));
    const nanos = BigInt(Math.floor(clock.now())) * BigInt(nanosPerMs) + fraction;
    last = nanos > last ? nanos : last + 1n;
    const name = `${objectName}.${last.toString(16)}`;
    return dnsSubdomainProblem(name) === undefined ? name : randomUuid(random);
  };
}

/** Creates the Event, or patches the stored one to the current count. */
export type WriteEvent = (event: TrackedEvent, signal: AbortSignal) => Promise<"create" | "patch">;

/** After this time the request is retried. All other Events wait meanwhile. */
const timeoutMs = 10_000;

/** Writes Events in the representation of one API. */
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
        // The server deletes Events after an hour. A deleted one is created again, with its count.
        if (!(error instanceof NotFoundError)) throw error;
      }
    }
    try {
      await create(event, signal);
    } catch (error) {
      // An earlier attempt succeeded and its response was lost; it may have had a lower count.
      if (!(error instanceof AlreadyExistsError)) throw error;
      if (event.count > 1) await patch(event, form.repetition(event), signal);
    }
    return "create";
  };
}
