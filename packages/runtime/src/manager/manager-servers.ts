import { listenHttp } from "@keelson/client";
import type { Clock } from "@keelson/core";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import { metricsService } from "../telemetry/metrics/metrics-service.ts";
import { debugService, withDebug } from "./debug/debug-service.ts";
import type { CausalLogs } from "./debug/why.ts";
import { httpServer } from "./http-endpoint.ts";
import type { ManagerHealth } from "./manager-health.ts";
import type { ManagerOptions, ServerName } from "./manager-options.ts";
import type { GroupMember } from "./runnable-group.ts";

const defaultMetricsPort = 8080;
const defaultHealthPort = 8081;

export interface ServerEnvironment {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly health: ManagerHealth;
  readonly causalLogs: CausalLogs;
  readonly onListening: (server: ServerName, port: number) => void;
}

/** All that listens, except for webhooks. Checks can be added until now. */
export function httpServers(options: ManagerOptions, environment: ServerEnvironment): readonly GroupMember[] {
  return [metricsServer(options, environment), healthServer(options, environment)].filter(
    (server) => server !== undefined,
  );
}

function healthServer(options: ManagerOptions, environment: ServerEnvironment): GroupMember | undefined {
  const { health: endpoint = {}, listen = listenHttp } = options;
  const { port = defaultHealthPort } = endpoint;
  if (port < 0) return undefined;
  const { health, onListening } = environment;
  return httpServer({
    name: "health",
    listen,
    endpoint: { ...endpoint, port },
    service: health.service(),
    onListening: (opened) => onListening("health", opened),
  });
}

/** The metrics, and beside them what people look into a process by; undefined if they are not to be served. */
function metricsServer(options: ManagerOptions, environment: ServerEnvironment): GroupMember | undefined {
  const { metrics: endpoint = {}, debug, listen = listenHttp } = options;
  const { port = defaultMetricsPort, authorize } = endpoint;
  if (port < 0) return undefined;
  const { clock, metrics, causalLogs, onListening } = environment;
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
