import { listenHttp } from "@keelson/client";
import { aborted, type Clock, type HttpService, type Listen } from "@keelson/core";
import { withProbes } from "../telemetry/health/health-service.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import { metricsService } from "../telemetry/metrics/metrics-service.ts";
import { type CausalLogs, debugService, withDebug } from "./debug-endpoints.ts";
import type { ManagerHealth } from "./manager-health.ts";
import type { HttpEndpoint, ManagerOptions, ServerName } from "./manager-options.ts";
import type { GroupRunnable } from "./runnable.ts";

const defaultMetricsPort = 8080;
const defaultHealthPort = 8081;
/** How long a scrape or a probe in progress may take to end when its server stops. */
const drainMs = 1_000;

export interface HttpServerDependencies {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly health: ManagerHealth;
  readonly causalLogs: CausalLogs;
  readonly onListening: (server: ServerName, port: number) => void;
}

/**
 * The HTTP servers of a manager, except for webhooks: of metrics and of health, or one that serves both if they have the same
 * address. From now on no health check can be added.
 */
export function httpServers(
  options: ManagerOptions,
  dependencies: HttpServerDependencies,
): readonly GroupRunnable[] {
  const { health: ofHealth = {}, metrics: ofMetrics = {}, listen = listenHttp } = options;
  const health = { ...ofHealth, port: ofHealth.port ?? defaultHealthPort };
  const metrics = { ...ofMetrics, port: ofMetrics.port ?? defaultMetricsPort };
  const { onListening } = dependencies;
  const probes = dependencies.health.service();
  const scrapes = metricsAndDebug(options, dependencies);
  // Port 0 is a free port for each.
  if (health.port > 0 && health.port === metrics.port && health.host === metrics.host)
    return [
      httpServer({
        name: "metrics and health",
        listen,
        endpoint: metrics,
        service: withProbes(scrapes, probes),
        onListening: (opened) => {
          onListening("metrics", opened);
          onListening("health", opened);
        },
      }),
    ];
  const servers = [
    { name: "metrics", endpoint: metrics, service: scrapes },
    { name: "health", endpoint: health, service: probes },
  ] as const;
  return servers
    .filter(({ endpoint }) => endpoint.port >= 0)
    .map((server) =>
      httpServer({ ...server, listen, onListening: (opened) => onListening(server.name, opened) }),
    );
}

/** Serves the metrics and, if the options allow it, the debug endpoints. */
function metricsAndDebug(options: ManagerOptions, dependencies: HttpServerDependencies): HttpService {
  const { metrics: { authorize } = {}, debug } = options;
  const { clock, metrics, causalLogs } = dependencies;
  const service = metricsService(metrics, authorize === undefined ? {} : { authorize });
  const debugging = debug && debugService({ clock, logs: causalLogs, authorize: debug.authorize });
  return debugging === undefined ? service : withDebug(service, debugging);
}

interface HttpServerOptions {
  /** In logs, such as `metrics`. */
  readonly name: string;
  readonly listen: Listen;
  readonly endpoint: HttpEndpoint & { readonly port: number };
  readonly service: HttpService;
  /** Is called with the port once it is open. */
  readonly onListening: (port: number) => void;
}

/** A server as a runnable of a group: ready as soon as its port is open. */
function httpServer({ name, listen, endpoint, service, onListening }: HttpServerOptions): GroupRunnable {
  const { port, host, certificate } = endpoint;
  const listenOptions = {
    port,
    ...(host !== undefined && { host }),
    ...(certificate !== undefined && { certificate }),
  };
  return {
    name,
    run: async (signal, onReady) => {
      const listener = await listen(listenOptions, service);
      try {
        onListening(listener.port);
        onReady();
        await aborted(signal);
      } finally {
        await listener.close(drainMs);
      }
    },
  };
}
