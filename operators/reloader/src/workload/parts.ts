import type { Client, Stored } from "keelson";
import type { ReloadAlert } from "../alerts/alert.ts";
import type { AnnotationKeys } from "../api/annotation-keys.ts";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import type { ReloaderMetrics } from "../metrics.ts";
import type { ReloadRequest } from "../reload/reload-request.ts";
import type { HashedKinds } from "../resource/hashed-kinds.ts";
import type { ResourceReader } from "../resource/watched-resource.ts";
import type { ReloaderSettings } from "../settings.ts";
import type { CircuitBreaker } from "../timing/circuit-breaker.ts";
import type { Coalescing } from "../timing/coalescing.ts";
import type { RateLimits } from "../timing/rate-limits.ts";
import type { FirstSights } from "./first-sights.ts";
import type { ShownProblems } from "./report.ts";
import type { WorkloadKindName } from "./workload-kind.ts";

/** What the controllers of one manager share. */
export interface ReloaderParts {
  readonly settings: ReloaderSettings;
  readonly keys: AnnotationKeys;
  /** The kinds of workloads that are reloaded. Those that the API server does not serve have no objects. */
  readonly workloadKinds: readonly WorkloadKindName[];
  readonly hashedKinds: HashedKinds;
  /** Whether the labels of namespaces are watched, which a run in some namespaces is not allowed to. */
  readonly readsNamespaces: boolean;
  /** Reads watched resources by a client, which reads from the cache. */
  readonly reader: (client: Client) => ResourceReader;
  readonly metrics: ReloaderMetrics;
  readonly breaker: CircuitBreaker;
  readonly coalescing: Coalescing;
  readonly rateLimits: RateLimits;
  readonly firstSights: FirstSights;
  readonly shownProblems: ShownProblems;
  /** If the settings have a webhook that is called instead of reloading: calls it, or throws, so that it is called again. */
  readonly callWebhook: ((request: ReloadRequest, signal: AbortSignal) => Promise<void>) | undefined;
  /** Queues an alert for the channels of the ReloaderConfigs and of the settings; never waits. */
  sendAlert(alert: ReloadAlert, configs: readonly Stored<ReloaderConfig>[]): void;
}
