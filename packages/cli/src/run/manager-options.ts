import { join } from "node:path";
import type { Logger, ManagerOptions, Operator } from "keelson";
import { type Environment, type Listen, listenHttp } from "keelson/client";
import type { ControllerTracer } from "keelson/controller";
import type { LeaderElectionOptions } from "keelson/leader";
import { errorCode } from "keelson/low-level";
import { operatorCacheKinds } from "keelson/manager";
import { type ApiEventRecorder, authorizeByReview, type Metrics } from "keelson/telemetry";
import { FileCertificates, type ManagerWebhookOptions, type WebhookEndpoint } from "keelson/webhook";
import type { RunConfig } from "../config/run-config.ts";
import type { Cluster } from "./connect-cluster.ts";
import { PortError } from "./errors.ts";

export interface RunParts {
  readonly config: RunConfig;
  readonly operators: readonly Operator[];
  readonly cluster: Cluster;
  readonly env: Environment;
  /** Of this run; the same for its replicas. */
  readonly name: string;
  /** Of this replica. */
  readonly identity: string;
  readonly userAgent: string;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly events: ApiEventRecorder;
  /** Undefined if OpenTelemetry is not installed. */
  readonly tracer: ControllerTracer | undefined;
  /** If metrics are served by HTTPS. It is loaded. */
  readonly metricsCertificates: FileCertificates | undefined;
}

/** The manager's options for a configuration. */
export function managerOptions(parts: RunParts): ManagerOptions {
  const { config, operators, cluster, env, name, log, metrics, events, tracer, metricsCertificates } = parts;
  const { client, access } = cluster;
  const host = config.bindAddress === undefined ? {} : { host: config.bindAddress };
  const webhooks = webhookOptions(parts);
  return {
    ...{ client, access, env, name, log, events },
    ...(tracer !== undefined && { tracer }),
    listen: listenByFlags(config),
    cache: {
      kinds: operatorCacheKinds(operators),
      ...(config.namespace !== undefined && {
        defaults: { namespaces: Object.fromEntries(config.namespace.map((each) => [each, {}])) },
      }),
    },
    concurrency: config.concurrency,
    graceMs: config.gracePeriod,
    leaderElection: config.leaderElect && electionOptions(parts),
    metrics: {
      ...host,
      port: config.metricsPort,
      gathered: metrics,
      ...(config.metricsAuth && { authorize: authorizeByReview(client, { log }) }),
      ...(metricsCertificates !== undefined && { certificate: () => metricsCertificates.current() }),
    },
    health: { ...host, port: config.healthPort },
    ...(webhooks !== undefined && { webhooks: { ...host, ...webhooks } }),
    // It shows everything in memory, and a client on loopback may be another container of this pod or come through a
    // forwarded port: each client has to authenticate. Permission to read metrics does not include this.
    ...(config.debug && { debug: { authorize: authorizeByReview(client, { url: "/debug", log }) } }),
    permissionCheck: config.permissionCheck,
  };
}

/** `tls.crt` and `tls.key` of a folder, as a mounted Secret has them. */
export function certificatesIn(folder: string, logger: Logger): FileCertificates {
  return new FileCertificates({
    certificatePath: join(folder, "tls.crt"),
    keyPath: join(folder, "tls.key"),
    logger,
  });
}

function electionOptions({ config, cluster, name, identity, userAgent }: RunParts): LeaderElectionOptions {
  return {
    renewIn: "worker",
    connect: {
      userAgent: `${userAgent} leader-election`,
      ...(config.kubeconfig !== undefined && { kubeconfigPath: config.kubeconfig }),
      ...(config.context !== undefined && { contextName: config.context }),
    },
    lease: {
      name: config.leaseName ?? name,
      namespace: config.leaseNamespace ?? cluster.access.namespace,
    },
    identity,
    leaseDurationMs: config.leaseDuration,
    renewDeadlineMs: config.renewDeadline,
    retryPeriodMs: config.retryPeriod,
  };
}

/** Undefined if no setting names the address of webhooks: then operators may have none. */
function webhookOptions({ config, cluster, name, log }: RunParts): ManagerWebhookOptions | undefined {
  const { webhookPort: port, webhookCertDir, webhookService, webhookUrl } = config;
  if (webhookCertDir !== undefined) return { port, certificates: certificatesIn(webhookCertDir, log) };
  const endpoint: WebhookEndpoint | undefined =
    webhookService !== undefined
      ? { service: webhookService }
      : webhookUrl !== undefined
        ? { url: webhookUrl }
        : undefined;
  // Webhooks that are left out need no certificate, so the one that nothing is ever served by will do.
  if (endpoint === undefined) return port < 0 ? { port, certificates: certificatesIn(".", log) } : undefined;
  const secret = {
    namespace: webhookService?.namespace ?? config.leaseNamespace ?? cluster.access.namespace,
    name: `${name}-webhook-certificates`,
  };
  return { port, certificates: { secret, name, endpoint } };
}

/** Opens ports; if one is not available, the error names the flag that chooses another. */
function listenByFlags(config: RunConfig): Listen {
  const flags: ReadonlyMap<number, string> = new Map([
    [config.webhookPort, "--webhook-port"],
    [config.healthPort, "--health-port"],
    [config.metricsPort, "--metrics-port"],
  ]);
  return async (options, service) => {
    try {
      return await listenHttp(options, service);
    } catch (error) {
      const flag = flags.get(options.port);
      if (flag === undefined || errorCode(error) === undefined) throw error;
      throw new PortError({ port: options.port, flag }, { cause: error });
    }
  };
}
