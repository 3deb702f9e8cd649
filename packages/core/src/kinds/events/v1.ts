// Generated from Kubernetes v1.36.2 by `npm run generate:kinds`; do not edit.
import type { ListMeta, NamespacedMeta } from "../../meta.ts";
import type { Resource } from "../../resource.ts";
import type { EventSource, ObjectReference } from "../core/v1.ts";

export interface Event {
  readonly action?: string;
  readonly apiVersion: "events.k8s.io/v1";
  readonly deprecatedCount?: number;
  readonly deprecatedFirstTimestamp?: string;
  readonly deprecatedLastTimestamp?: string;
  readonly deprecatedSource?: EventSource;
  readonly eventTime: string;
  readonly kind: "Event";
  readonly metadata: NamespacedMeta;
  readonly note?: string;
  readonly reason?: string;
  readonly regarding?: ObjectReference;
  readonly related?: ObjectReference;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
  readonly series?: EventSeries;
  readonly type?: string;
}

export const Event: Resource<Event> = {
  group: "events.k8s.io",
  version: "v1",
  kind: "Event",
  plural: "events",
  scope: "Namespaced",
};

export interface EventList {
  readonly apiVersion: "events.k8s.io/v1";
  readonly items: readonly Event[];
  readonly kind: "EventList";
  readonly metadata: ListMeta;
}

export interface EventSeries {
  readonly count: number;
  readonly lastObservedTime: string;
}
