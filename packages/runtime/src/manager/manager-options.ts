import type { Client, ClusterAccess, Environment } from "@keelson/client";
import type { Clock, Listen, Random, ServingCertificate } from "@keelson/core";
import type { CacheSettings } from "../cache/cache-settings.ts";
import type { ConcurrencyDefaults } from "../controller/controller-definition.ts";
import type { EventRecorder } from "../controller/event-recorder.ts";
import type { ControllerTracer } from "../controller/run-tracer.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { Authorize } from "../telemetry/metrics/metrics-service.ts";
import type { LeaderElectionOptions } from "./election.ts";
import type { ManagerWebhookOptions } from "./webhooks.ts";

/** Where a server listens. */
export interface HttpEndpoint {
  /** 0 takes any free port; a negative port serves nothing. */
  readonly port?: number;
  /** Default: all addresses. */
  readonly host?: string;
  /** Serves HTTPS; called for each handshake. Default: HTTP. */
  readonly certificate?: () => ServingCertificate;
}

/** The metrics of a manager, and where they are served. */
export interface ManagerMetricsOptions extends HttpEndpoint {
  /** Default 8080. 0 takes any free port; a negative port serves nothing. */
  readonly port?: number;
  /** Decides which requests are allowed. Default: all. */
  readonly authorize?: Authorize;
  /**
   * The metrics to use; the caller creates and disposes of them. For programs that measure more than the manager, such as
   * the transport. Default: the manager's own.
   */
  readonly gathered?: Metrics;
  /** Second names of some of the manager's own metrics; `[]` for none. Default: `seed` [MX4]. */
  readonly aliases?: readonly "seed"[];
}

export interface HealthOptions extends HttpEndpoint {
  /** Default 8081. 0 takes any free port; a negative port serves nothing. */
  readonly port?: number;
  /** A manager is not alive if a reconcile runs for longer, or if keys wait and no worker dequeues one for longer. Default 1 h. */
  readonly maxReconcileMs?: number;
  /** A manager is not ready if an informer has received nothing for longer. Default 5 min. */
  readonly maxSilenceMs?: number;
}

/** An event recorder that sends Events later than they are recorded. */
export interface BufferedEvents extends EventRecorder {
  /** Sends all recorded Events. Rejects with the signal's reason when it aborts. */
  flush(signal: AbortSignal): Promise<void>;
  /** Stops it; Events that are recorded later are lost. */
  stop(): void | Promise<void>;
}

/** A server of a manager. */
export type ServerName = "metrics" | "health" | "webhooks";

export interface ManagerOptions {
  /** Reads from and writes to the API server. The caller closes it after `run`. */
  readonly client: Client;
  /**
   * How the client reaches the API server, for parts of an operator that start a program which connects by itself, such as
   * Helm. Default: such parts cannot.
   */
  readonly access?: ClusterAccess;
  /** What such programs may find in their environment, such as PATH and proxies. Default: nothing. */
  readonly env?: Environment;
  /** The name of the roles in a report of missing permissions. Default `keelson`. */
  readonly name?: string;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: the machine's. */
  readonly random?: Random;
  /** Default: logs nothing. */
  readonly log?: Logger;
  /** How ports are opened. Default: `listenHttp`, which opens real ones. */
  readonly listen?: Listen;
  readonly cache?: CacheSettings;
  /** How many keys a controller reconciles at once, if its settings do not define it [CT8]. */
  readonly concurrency?: ConcurrencyDefaults;
  /** The grace period of the stop; 0 does not wait, a negative one has no end [MG3]. Default 30 s. */
  readonly graceMs?: number;
  /** Only the replica that holds the Lease leads. Default: every replica leads. */
  readonly leaderElection?: LeaderElectionOptions | false;
  /** Default: metrics are served on port 8080. */
  readonly metrics?: ManagerMetricsOptions;
  /** Default: health is served on port 8081. */
  readonly health?: HealthOptions;
  /** Default: no webhooks can be added. */
  readonly webhooks?: ManagerWebhookOptions;
  /**
   * Serves `/debug/why`, `/debug/heap` and `/debug/cpu` beside the metrics, for the requests that `authorize` allows. They
   * show the contents of memory, secrets included. Default: they are not served.
   */
  readonly debug?: { readonly authorize: Authorize };
  /** Default: no Events are recorded. */
  readonly events?: BufferedEvents;
  /** Traces reconciles and their calls, as `createTracing` does. Default: nothing is traced. */
  readonly tracer?: ControllerTracer;
  /** What happens if a permission is missing at the start. Default `fail`: nothing starts. */
  readonly permissionCheck?: "fail" | "warn" | "off";
  /** Is called with each port once it is open. */
  readonly onListening?: (server: ServerName, port: number) => void;
}
