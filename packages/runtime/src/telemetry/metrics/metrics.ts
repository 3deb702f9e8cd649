import { type Clock, systemClock, type Transport } from "@keelson/core";
import type { StaleRead } from "../../cache/informer-cache.ts";
import type { ControllerObserver } from "../../controller/controller-observer.ts";
import type { LeaderObserver } from "../../leader/leader-elector.ts";
import type { Logger } from "../../logger.ts";
import { steadyLogger } from "../../steady-logger.ts";
import type { CertificateObserver } from "../../webhook/certificate-source.ts";
import type { EventObserver } from "../events/drop-report.ts";
import { controllerMetrics } from "./controller-metrics.ts";
import { InformerMetrics, type ReadInformers } from "./informer-metrics.ts";
import { MetricsRegistry } from "./metrics-registry.ts";
import { nodeMetrics, ProcessMetrics } from "./process-metrics.ts";
import { type RestClientObserver, restClientMetrics } from "./rest-client-metrics.ts";
import { certificateMetrics, type WebhookMetrics, webhookMetrics } from "./webhook-metrics.ts";

/** Which metrics are created. */
export interface MetricsOptions {
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Second names for some metrics; `seed` is the short names of the reconcile metrics [MX4]. Default: `seed`. */
  readonly aliases?: readonly "seed"[];
  /** Durations, sizes and retries of requests to the API server, by verb and host. Default false. */
  readonly requestDetails?: boolean;
  /** The metrics of the process and of Node. Default true. */
  readonly processMetrics?: boolean;
  /** Receives metrics that could not be collected. Default: nothing is logged. */
  readonly log?: Logger;
}

/** The observers for the parts of a process, and the metrics that they collect. */
export interface Metrics extends Disposable {
  /** The registry, to which an operator adds its own metrics. */
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
  /** Adds the informers of a cache: `metrics.observeInformers(() => cache.statuses)`. */
  observeInformers(read: ReadInformers): void;
  /** Counts the requests of a transport; `host` is the address of the API server, such as `10.0.0.1:443`. */
  measureTransport(transport: Transport, host: string): Transport;
  /** For transports that report more than their requests. */
  readonly requests: RestClientObserver;
  /** The text of all metrics for Prometheus. */
  render(): Promise<string>;
}

/**
 * Creates the metrics of a process, under exactly the names, labels and buckets of controller-runtime, so that its
 * dashboards and alerts work. Metrics that are collected at a scrape cost nothing in between. Must be disposed of.
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const { clock = systemClock, aliases = ["seed"], requestDetails = false, processMetrics = true } = options;
  const log = steadyLogger(options.log);
  const registry = new MetricsRegistry({
    onBroken: (metric, error) => log.error("a metric cannot be collected and is left out", { metric, error }),
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

/** The metrics of leader election, by the name of the Lease [MX3]. */
function leaderMetrics(registry: MetricsRegistry): (name: string) => LeaderObserver {
  const status = registry.gauge({
    name: "leader_election_master_status",
    help: "1 if this replica leads, 0 if not.",
    labels: ["name"],
  });
  const slowPaths = registry.counter({
    name: "leader_election_slowpath_total",
    help: "Number of renewals for which the leader had to read its Lease first.",
    labels: ["name"],
  });
  return (name) => {
    const isLeading = status.with(name);
    const slowPath = slowPaths.with(name);
    return {
      leaderChanged: (isLeader) => isLeading.set(isLeader ? 1 : 0),
      slowPathTaken: () => slowPath.add(),
    };
  };
}

/** The metrics of an event recorder [EVR1]. */
function eventMetrics(registry: MetricsRegistry): EventObserver {
  const sent = registry.counter({
    name: "events_sent_total",
    help: "Number of Events written: create for a new one, patch for a repetition.",
    labels: ["how"],
  });
  const dropped = registry.counter({
    name: "events_dropped_total",
    help: "Number of dropped events, by reason.",
    labels: ["reason"],
  });
  return {
    sent: (how) => sent.with(how).add(),
    dropped: (reason) => dropped.with(reason).add(),
  };
}
