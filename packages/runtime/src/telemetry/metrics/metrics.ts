import { type Clock, systemClock, type Transport } from "@keelson/core";
import type { StaleRead } from "../../cache/informer-cache.ts";
import type { ControllerObserver } from "../../controller/controller-observer.ts";
import type { LeaderObserver } from "../../leader/leader-elector.ts";
import { type Logger, silentLogger } from "../../logger.ts";
import type { CertificateObserver } from "../../webhook/webhook-observer.ts";
import type { EventObserver } from "../events/event-observer.ts";
import { controllerMetrics } from "./controller-metrics.ts";
import { eventMetrics } from "./event-metrics.ts";
import { InformerMetrics, type ReadInformers } from "./informer-metrics.ts";
import { leaderMetrics } from "./leader-metrics.ts";
import { MetricsRegistry } from "./metrics-registry.ts";
import { nodeMetrics } from "./node-metrics.ts";
import { ProcessMetrics } from "./process-metrics.ts";
import { type RestClientObserver, restClientMetrics } from "./rest-client-metrics.ts";
import { certificateMetrics, type WebhookMetrics, webhookMetrics } from "./webhook-metrics.ts";

export interface MetricsOptions {
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Second names for some metrics; `seed` are those of the first design [MX4]. Default: none. */
  readonly aliases?: readonly "seed"[];
  /** Durations, sizes and repetitions of requests to the API server, by verb and host. Default false. */
  readonly requestDetails?: boolean;
  /** Also what is known of the process and of Node. Default true. */
  readonly processMetrics?: boolean;
  /** Where it is said that a metric could not be collected. Default: nowhere. */
  readonly log?: Logger;
}

/** What the parts of a process are given so that they are measured, and what came of it. */
export interface Metrics extends Disposable {
  /** For metrics of your own. */
  readonly registry: MetricsRegistry;
  readonly controllers: ControllerObserver;
  readonly webhooks: WebhookMetrics;
  readonly certificates: CertificateObserver;
  /** For an event recorder. */
  readonly events: EventObserver;
  /** For an elector, by the name of its Lease. */
  leader(name: string): LeaderObserver;
  /** For an InformerCache. */
  readonly onStaleRead: (read: StaleRead) => void;
  /** Shows the informers of a cache: `metrics.observeInformers(() => cache.statuses)`. */
  observeInformers(read: ReadInformers): void;
  /** Counts the requests that are sent through it; the host is how the API server is called, such as `10.0.0.1:443`. */
  measureTransport(transport: Transport, host: string): Transport;
  /** For transports that tell more than what is sent through them. */
  readonly requests: RestClientObserver;
  /** All metrics as Prometheus reads them. */
  render(): Promise<string>;
}

/**
 * Makes the metrics of a process, under exactly the names, labels and buckets of controller-runtime, so that its
 * dashboards and alerts work. What is measured when it is scraped costs nothing in between. Dispose of it at the end.
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const { clock = systemClock, aliases = [], requestDetails = false, processMetrics = true } = options;
  const { log = silentLogger } = options;
  const registry = new MetricsRegistry({
    onBroken: (metric, error) =>
      log.error("a metric cannot be collected, and is left out", { metric, error }),
  });
  const controllers = controllerMetrics(registry, aliases.includes("seed"));
  const webhooks = webhookMetrics(registry);
  const certificates = certificateMetrics(registry);
  const events = eventMetrics(registry);
  const leader = leaderMetrics(registry);
  const requests = restClientMetrics(registry, clock, requestDetails);
  const informers = new InformerMetrics(registry, clock);
  const ofProcess = processMetrics ? new ProcessMetrics(registry, clock) : undefined;
  const ofNode = processMetrics ? nodeMetrics(registry) : undefined;
  return {
    registry,
    controllers,
    webhooks,
    certificates,
    events,
    leader,
    onStaleRead: informers.onStaleRead,
    observeInformers: (read) => informers.observe(read),
    measureTransport: (transport, host) => requests.measure(transport, host),
    requests,
    render: async () => {
      await ofProcess?.refresh();
      informers.refresh();
      return registry.render();
    },
    [Symbol.dispose]: () => ofNode?.[Symbol.dispose](),
  };
}
