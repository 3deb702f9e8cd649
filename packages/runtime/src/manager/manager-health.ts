import { type Clock, type HttpService, KeelsonError } from "@keelson/core";
import type { Cache } from "../cache/cache.ts";
import type { Leadership } from "../leader/lease-term.ts";
import { leaseHealthCheck } from "../leader/lease-term.ts";
import type { Logger } from "../logger.ts";
import { cacheSynced, watchFreshness } from "../telemetry/health/built-in-checks.ts";
import { HealthChecks } from "../telemetry/health/health-checks.ts";
import { healthService } from "../telemetry/health/health-service.ts";
import type { ManagerLife } from "./manager-life.ts";
import type { HealthOptions } from "./manager-options.ts";
import type { ControllerQueueAges } from "./queue-ages.ts";

const defaultMaxReconcileMs = 3_600_000;

export interface HealthDependencies {
  readonly clock: Clock;
  readonly log: Logger;
  readonly cache: Cache;
  readonly life: ManagerLife;
  /** Undefined if there is no election. */
  readonly leadership: Leadership | undefined;
  readonly queueAges: ControllerQueueAges;
}

/**
 * The health checks of a manager. It is alive unless a restart would help: its Lease has long expired, a reconcile hangs,
 * or no worker dequeues the waiting keys. It is ready when everything that needs no leadership runs, the cache has synced,
 * and all watches have received something lately.
 */
export class ManagerHealth {
  readonly live: HealthChecks;
  readonly ready: HealthChecks;
  readonly #dependencies: HealthDependencies;

  constructor(options: HealthOptions, dependencies: HealthDependencies) {
    const { maxReconcileMs = defaultMaxReconcileMs, maxSilenceMs } = options;
    const { clock, cache, life, leadership, queueAges } = dependencies;
    this.#dependencies = dependencies;
    this.live = new HealthChecks().add("reconciles", queueAges.check(maxReconcileMs));
    if (leadership !== undefined) this.live.add("lease", leaseHealthCheck(leadership));
    this.ready = new HealthChecks()
      .add("started", () => {
        if (life.state !== "running" && life.state !== "leading") throw new NotRunningError(life.state);
      })
      .add("cache", cacheSynced(cache))
      .add("watches", watchFreshness(cache, { clock, ...(maxSilenceMs !== undefined && { maxSilenceMs }) }));
  }

  /** Serves the checks. From now on no check can be added [MG8]. */
  service(): HttpService {
    const { clock, log } = this.#dependencies;
    return healthService({ live: this.live, ready: this.ready, clock, log });
  }
}

/** The manager is not ready because it is not running. */
class NotRunningError extends KeelsonError {
  static override readonly brand: string = "keelson.NotRunningError";
  readonly code = "NOT_RUNNING";

  constructor(state: string) {
    super(`check the manager: it is ${state}; wait until it runs`);
  }
}
