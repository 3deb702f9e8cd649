import { listenHttp } from "@keelson/client";
import { aborted, type Clock, type HttpService, type Listen } from "@keelson/core";
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

/** The HTTP servers of a manager, except for webhooks. From now on no health check can be added. */
export function httpServers(
  options: ManagerOptions,
  dependencies: HttpServerDependencies,
): readonly GroupRunnable[] {
  return [metricsServer(options, dependencies), healthServer(options, dependencies)].filter(
    (server) => server !== undefined,
  );
}

function healthServer(
  options: ManagerOptions,
  dependencies: HttpServerDependencies,
): GroupRunnable | undefined {
  const { health: endpoint = {}, listen = listenHttp } = options;
  const { port = defaultHealthPort } = endpoint;
  if (port < 0) return undefined;
  const { health, onListening } = dependencies;
  return httpServer({
    name: "health",
    listen,
    endpoint: { ...endpoint, port },
    service: health.service(),
    onListening: (opened) => onListening("health", opened),
  });
}

/** Serves the metrics and, if the options allow it, the debug endpoints; undefined if metrics are not served. */
function metricsServer(
  options: ManagerOptions,
  dependencies: HttpServerDependencies,
): GroupRunnable | undefined {
  const { metrics: endpoint = {}, debug, listen = listenHttp } = options;
  const { port = defaultMetricsPort, authorize } = endpoint;
  if (port < 0) return undefined;
  const { clock, metrics, causalLogs, onListening } = dependencies;
  const service = metricsService(metrics, authorize === undefined ? {} : { authorize });
  const debugging = debug && debugService({ clock, logs: causalLogs, authorize: debug.authorize });
  return httpServer({
    name: "metrics",
    listen,
    endpoint: { ...endpoint, port },
    service: debugging === undefined ? service : withDebug(service, debugging),
    onListening: (opened) => onListening("metrics", opened),
  });
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
