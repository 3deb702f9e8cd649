import type { ObjectToWrite } from "@keelson/client";
import { formatTime, type KubeObject, type Resource } from "@keelson/core";
import { Event as CoreEvent } from "@keelson/core/kinds/core/v1";
import { Event } from "@keelson/core/kinds/events/v1";
import { formatMicroTime } from "../../leader/lease-record.ts";
import type { TrackedEvent } from "./tracked-event.ts";

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
