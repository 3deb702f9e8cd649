import type { MetricsRegistry } from "keelson/telemetry";
import type { ChannelType } from "./alert-channel.ts";

/** The names of the metrics about alerts. */
export const alertMetricNames = {
  alerts: "keelson_reloader_alerts_total",
  retries: "keelson_reloader_alert_retries_total",
  duration: "keelson_reloader_alert_duration_seconds",
  queued: "keelson_reloader_alerts_queued",
} as const;

/** What became of an alert: an endpoint accepted it, none did, or it had to make room for later ones. */
export type AlertResult = "sent" | "failed" | "dropped";

/** Up to the end of the last attempt. */
const buckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Metrics by the type of the channel. */
export class AlertMetrics {
  readonly #families: ReturnType<typeof families>;
  #queued = 0;

  constructor(registry: MetricsRegistry) {
    this.#families = families(registry, () => this.#queued);
  }

  /** How many alerts wait. */
  setQueued(count: number): void {
    this.#queued = count;
  }

  /** An alert has left the queue. */
  ended(channel: ChannelType, result: AlertResult): void {
    this.#families.alerts.with(channel, result).add();
  }

  /** An attempt to send an alert has failed, and there will be another one. */
  retried(channel: ChannelType): void {
    this.#families.retries.with(channel).add();
  }

  /** An alert was sent, or all attempts have failed, this long after the first attempt began. */
  took(channel: ChannelType, seconds: number): void {
    this.#families.duration.with(channel).observe(seconds);
  }
}

function families(registry: MetricsRegistry, queued: () => number) {
  registry.collected(
    "gauge",
    { name: alertMetricNames.queued, help: "How many alerts wait to be sent.", labels: [] },
    () => [{ labels: [], value: queued() }],
  );
  return {
    alerts: registry.counter({
      name: alertMetricNames.alerts,
      help: "How many alerts were sent, failed or were dropped, by channel.",
      labels: ["channel", "result"],
    }),
    retries: registry.counter({
      name: alertMetricNames.retries,
      help: "How many attempts to send an alert have failed and were repeated.",
      labels: ["channel"],
    }),
    duration: registry.histogram({
      name: alertMetricNames.duration,
      help: "How long it took to send an alert, with all attempts.",
      labels: ["channel"],
      buckets,
    }),
  };
}
