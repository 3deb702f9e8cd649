import type { EventObserver } from "../events/event-observer.ts";
import type { MetricsRegistry } from "./metrics-registry.ts";

/** The metrics of an event recorder: what became of the events [EVR1]. */
export function eventMetrics(registry: MetricsRegistry): EventObserver {
  const sent = registry.counter({
    name: "events_sent_total",
    help: "How many events were written, by how: create for a new one, patch for one that was counted up.",
    labels: ["how"],
  });
  const dropped = registry.counter({
    name: "events_dropped_total",
    help: "How many events did not reach the server, by why.",
    labels: ["reason"],
  });
  return {
    sent: (how) => sent.with(how).add(),
    dropped: (reason) => dropped.with(reason).add(),
  };
}
