import type { Client } from "@keelson/client";
import type { Clock, Listen, Random } from "@keelson/core";
import type { CacheSettings } from "../cache/cache-settings.ts";
import type { ConcurrencyDefaults } from "../controller/controller-environment.ts";
import type { EventRecorder } from "../controller/event-recorder.ts";
import type { ControllerTracer } from "../controller/run-tracer.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { Authorize } from "../telemetry/metrics/metrics-service.ts";
import type { LeaderElectionOptions } from "./election.ts";
import type { HttpEndpoint } from "./http-endpoint.ts";
import type { ManagerWebhookOptions } from "./webhooks.ts";

/** What is measured, and where it is served. */
export interface ManagerMetricsOptions extends HttpEndpoint {
  /** Default 8080. 0 takes any free one; below 0 nothing is served. */
  readonly port?: number;
  /** Who may see them. Default: all. */
  readonly authorize?: Authorize;
  /**
   * Where it is gathered; whoever made it disposes of it. For those who measure more than what the manager knows of, such
   * as the transport. Default: the manager's own.
   */
  readonly gathered?: Metrics;
  /** Second names for some metrics of the manager's own. Default: none. */
  readonly aliases?: readonly "seed"[];
}

export interface HealthOptions extends HttpEndpoint {
  /** Default 8081. 0 takes any free one; below 0 nothing is served. */
  readonly port?: number;
  /** A manager is not alive if a reconcile runs for longer, or if no worker takes what waits for longer. Default 1 h. */
  readonly maxReconcileMs?: number;
  /** For how long an informer of a manager that is ready may hear nothing. Default 5 min. */
  readonly maxSilenceMs?: number;
}

/** Events that are sent later than they are recorded. */
export interface BufferedEvents extends EventRecorder {
  /** Sends what is not yet sent, until the signal aborts. Rejects with its reason then. */
  flush(signal: AbortSignal): Promise<void>;
  /** Ends it; what is recorded from now on is lost. */
  stop(): void | Promise<void>;
}

/** What is listened on. */
export type ServerName = "metrics" | "health" | "webhooks";

export interface ManagerOptions {
  /** Reads from and writes to the server. It stays the caller's, to be closed after `run`. */
  readonly client: Client;
  /** Names roles in what is said about missing permissions. Default `keelson`. */
  readonly name?: string;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: the machine's. */
  readonly random?: Random;
  /** Default: says nothing. */
  readonly log?: Logger;
  /** How ports are opened. Default: `listenHttp`, which opens real ones. */
  readonly listen?: Listen;
  readonly cache?: CacheSettings;
  /** How many keys controllers reconcile at once where they do not say it [CT8]. */
  readonly concurrency?: ConcurrencyDefaults;
  /** How long everything may take to end; 0 does not wait, a negative time is for ever [MG3]. Default 30 s. */
  readonly graceMs?: number;
  /** Only the replica that holds a Lease leads. Default: every one leads. */
  readonly leaderElection?: LeaderElectionOptions | false;
  /** Default: metrics are served on port 8080. */
  readonly metrics?: ManagerMetricsOptions;
  /** Default: health is served on port 8081. */
  readonly health?: HealthOptions;
  /** Default: no webhooks can be added. */
  readonly webhooks?: ManagerWebhookOptions;
  /**
   * Serves `/debug/why`, `/debug/heap` and `/debug/cpu` beside the metrics, to those whom it lets pass. What it shows
   * includes whatever is in memory. Default: nothing of it is served.
   */
  readonly debug?: { readonly authorize: Authorize };
  /** Default: nothing records events. */
  readonly events?: BufferedEvents;
  /** Follows reconciles and their calls, as `createTracing` does. Default: nothing is traced. */
  readonly tracer?: ControllerTracer;
  /** What a permission that is missing at the start does. Default `fail`: nothing starts. */
  readonly permissionCheck?: "fail" | "warn" | "off";
  /** Told each port once it is open. */
  readonly onListening?: (server: ServerName, port: number) => void;
}
