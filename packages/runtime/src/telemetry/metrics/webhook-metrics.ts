import type { CertificateObserver } from "../../webhook/certificate-source.ts";
import { convertPath } from "../../webhook/conversion.ts";
import type { WebhookObserver } from "../../webhook/webhook-server.ts";
import { decadeBuckets } from "./controller-metrics.ts";
import type { MetricsRegistry } from "./metrics-registry.ts";
import type { Counter, Gauge, Histogram } from "./series.ts";

/** Observes webhooks. */
export interface WebhookMetrics extends WebhookObserver {
  /** Creates the series of these webhooks, so that they exist before the first request [MX3]. */
  announce(paths: readonly string[]): void;
}

interface OneWebhook {
  readonly latency: Histogram;
  readonly inFlight: Gauge;
  responsesWith(code: number): Counter;
}

/** The metrics of webhooks [MX3]. */
export function webhookMetrics(registry: MetricsRegistry): WebhookMetrics {
  const latency = registry.histogram({
    name: "controller_runtime_webhook_latency_seconds",
    help: "Time until webhooks responded.",
    labels: ["webhook"],
    buckets: decadeBuckets,
  });
  const requests = registry.counter({
    name: "controller_runtime_webhook_requests_total",
    help: "Number of responses, by HTTP status.",
    labels: ["webhook", "code"],
  });
  const inFlight = registry.gauge({
    name: "controller_runtime_webhook_requests_in_flight",
    help: "Number of requests in flight.",
    labels: ["webhook"],
  });
  const panics = registry
    .counter({
      name: "controller_runtime_webhook_panics_total",
      help: "Number of calls in which an admission handler threw unexpectedly.",
    })
    .with();
  const conversionPanics = registry
    .counter({
      name: "controller_runtime_conversion_webhook_panics_total",
      help: "Number of calls in which a conversion threw unexpectedly.",
    })
    .with();
  const webhooks = new Map<string, OneWebhook>();
  const of = (path: string): OneWebhook => {
    const known = webhooks.get(path);
    if (known !== undefined) return known;
    const responsesWith = (code: number): Counter => requests.with(path, String(code));
    const made = { latency: latency.with(path), inFlight: inFlight.with(path), responsesWith };
    // The usual codes exist before the first response, so that an alert sees the step from 0 to 1.
    responsesWith(200);
    responsesWith(500);
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
      webhook.responsesWith(code).add();
      webhook.latency.observe(ms / 1000);
    },
    panicked: (path) => (path === convertPath ? conversionPanics : panics).add(),
  };
}

/** The metrics of serving certificates [MX3]. */
export function certificateMetrics(registry: MetricsRegistry): CertificateObserver {
  const reads = registry
    .counter({
      name: "certwatcher_read_certificate_total",
      help: "Number of reads of the serving certificate.",
    })
    .with();
  const failures = registry
    .counter({
      name: "certwatcher_read_certificate_errors_total",
      help: "Number of failed reads of the serving certificate.",
    })
    .with();
  return { read: () => reads.add(), readFailed: () => failures.add() };
}
