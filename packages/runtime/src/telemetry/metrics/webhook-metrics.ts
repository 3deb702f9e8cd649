import type { CertificateObserver } from "../../webhook/certificate-source.ts";
import { convertPath } from "../../webhook/conversion.ts";
import type { WebhookObserver } from "../../webhook/webhook-server.ts";
import type { MetricsRegistry } from "./metrics-registry.ts";
import { decadeBuckets } from "./queue-metrics.ts";
import type { Counter, Gauge, Histogram } from "./series.ts";

export interface WebhookMetrics extends WebhookObserver {
  /** These webhooks are served: their metrics exist from now on, before the first request [MX3]. */
  announce(paths: readonly string[]): void;
}

interface OneWebhook {
  readonly latency: Histogram;
  readonly inFlight: Gauge;
  answersOf(code: number): Counter;
}

/** The metrics of webhooks [MX3]. */
export function webhookMetrics(registry: MetricsRegistry): WebhookMetrics {
  const latency = registry.histogram({
    name: "controller_runtime_webhook_latency_seconds",
    help: "How long webhooks took to answer.",
    labels: ["webhook"],
    buckets: decadeBuckets,
  });
  const requests = registry.counter({
    name: "controller_runtime_webhook_requests_total",
    help: "How many requests were answered, by HTTP status.",
    labels: ["webhook", "code"],
  });
  const inFlight = registry.gauge({
    name: "controller_runtime_webhook_requests_in_flight",
    help: "How many requests are being answered.",
    labels: ["webhook"],
  });
  const panics = registry
    .counter({
      name: "controller_runtime_webhook_panics_total",
      help: "How many handlers of admission webhooks threw by mistake.",
    })
    .with();
  const conversionPanics = registry
    .counter({
      name: "controller_runtime_conversion_webhook_panics_total",
      help: "How many conversions threw by mistake.",
    })
    .with();
  const webhooks = new Map<string, OneWebhook>();
  const of = (path: string): OneWebhook => {
    const known = webhooks.get(path);
    if (known !== undefined) return known;
    const answersOf = (code: number): Counter => requests.with(path, String(code));
    const made = { latency: latency.with(path), inFlight: inFlight.with(path), answersOf };
    // The usual answers exist before there is one, so that an alert sees the first step from 0 to 1.
    answersOf(200);
    answersOf(500);
    webhooks.set(path, made);
    return made;
  };
  return {
    announce: (paths) => {
      for (const path of paths) of(path);
    },
    inFlightChanged: (path, change) => of(path).inFlight.add(change),
    responded: (path, code, ms) => {
      const webhook = of(path);
      webhook.answersOf(code).add();
      webhook.latency.observe(ms / 1000);
    },
    panicked: (path) => (path === convertPath ? conversionPanics : panics).add(),
  };
}

/** How often certificates were read [MX3]. */
export function certificateMetrics(registry: MetricsRegistry): CertificateObserver {
  const reads = registry
    .counter({
      name: "certwatcher_read_certificate_total",
      help: "How often the serving certificate was read.",
    })
    .with();
  const failures = registry
    .counter({
      name: "certwatcher_read_certificate_errors_total",
      help: "How often the serving certificate could not be read.",
    })
    .with();
  return { read: () => reads.add(), readFailed: () => failures.add() };
}
