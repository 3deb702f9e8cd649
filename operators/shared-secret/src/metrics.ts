import { formatKey, type ObjectKey } from "keelson";
import type { MetricsRegistry, Sample } from "keelson/telemetry";
import type { SharedSecretStatus } from "./api/status.ts";
import type { RestartMethod } from "./restart/restart-target.ts";

const labels = ["namespace", "name"] as const;

/** The names of the metrics; alert rules and dashboards depend on them. */
export const metricNames = {
  approved: "keelson_shared_secret_approved",
  synced: "keelson_shared_secret_policy_synced",
  consumers: "keelson_shared_secret_consumers",
  failing: "keelson_shared_secret_consumers_failing",
  pending: "keelson_shared_secret_pending_requests",
  restarting: "keelson_shared_secret_restart_required",
  lastRotation: "keelson_shared_secret_last_rotation_timestamp_seconds",
  nextRotation: "keelson_shared_secret_next_rotation_timestamp_seconds",
  rotationFailures: "keelson_shared_secret_rotation_failures_total",
  rotations: "keelson_shared_secret_rotations_total",
  restarts: "keelson_shared_secret_consumer_restarts_total",
  rotationSeconds: "keelson_shared_secret_rotation_duration_seconds",
} as const;

type Read = (status: SharedSecretStatus) => number | undefined;

/**
 * Metrics of every SharedSecret. Most come from the status, so that they survive a restart and a change of the leader, and
 * include rotations of sidecars.
 */
export class SharedSecretMetrics {
  readonly #statuses = new Map<string, { readonly key: ObjectKey; readonly status: SharedSecretStatus }>();
  readonly #families: ReturnType<typeof families>;

  constructor(registry: MetricsRegistry) {
    const add = (type: "gauge" | "counter", name: string, help: string, read: Read): void =>
      registry.collected(type, { name, help, labels }, () => this.#samples(read));
    add("gauge", metricNames.approved, "1 if a SharedSecret may be shared, else 0.", ({ approved }) =>
      Number(approved ?? false),
    );
    add("gauge", metricNames.synced, "1 if what the policy says is known, else 0.", syncedOf);
    add(
      "gauge",
      metricNames.consumers,
      "Approved consumers of a SharedSecret.",
      ({ consumers = [] }) => consumers.length,
    );
    add(
      "gauge",
      metricNames.failing,
      "Approved consumers that could not be restarted, or cannot get the secret.",
      ({ consumers = [] }) => consumers.filter(({ problem }) => problem !== undefined).length,
    );
    add(
      "gauge",
      metricNames.pending,
      "Requests that wait for a decision.",
      ({ pendingRequests }) => pendingRequests,
    );
    add(
      "gauge",
      metricNames.restarting,
      "1 while consumers have to be restarted, else 0.",
      ({ podsRestartRequired }) => Number(podsRestartRequired ?? false),
    );
    add("gauge", metricNames.lastRotation, "When the value was last rotated.", ({ rotation }) =>
      secondsOf(rotation?.lastTime),
    );
    add("gauge", metricNames.nextRotation, "When the next rotation is due.", ({ rotation }) =>
      secondsOf(rotation?.nextTime),
    );
    add(
      "counter",
      metricNames.rotationFailures,
      "Failed rotations.",
      ({ rotation }) => rotation?.totalFailures ?? 0,
    );
    add("counter", metricNames.rotations, "Rotations.", ({ rotation }) => rotation?.rotations ?? 0);
    this.#families = families(registry);
  }

  /** Sets the metrics of a SharedSecret. */
  show(key: ObjectKey, status: SharedSecretStatus): void {
    this.#statuses.set(formatKey(key), { key, status });
  }

  /** Removes the metrics of a SharedSecret that does not exist any more. */
  forget(key: ObjectKey): void {
    this.#statuses.delete(formatKey(key));
  }

  /** A consumer was restarted, or could not be. */
  restarted(result: RestartMethod | "failed"): void {
    this.#families.restarts.with(result).add();
  }

  /** An attempt to rotate a value ended in this process. */
  rotated(result: "success" | "error", seconds: number): void {
    this.#families.rotationSeconds.with(result).observe(seconds);
  }

  *#samples(read: Read): Iterable<Sample> {
    for (const { key, status } of this.#statuses.values()) {
      const value = read(status);
      if (value !== undefined) yield { labels: [key.namespace ?? "", key.name], value };
    }
  }
}

function families(registry: MetricsRegistry) {
  return {
    restarts: registry.counter({
      name: metricNames.restarts,
      help: "Restarts of consumers by this process: by rollout, eviction or deletion, or failed.",
      labels: ["result"],
    }),
    rotationSeconds: registry.histogram({
      name: metricNames.rotationSeconds,
      help: "How long rotations in this process took.",
      labels: ["result"],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    }),
  };
}

function syncedOf({ conditions = [] }: SharedSecretStatus): number | undefined {
  const synced = conditions.find(({ type }) => type === "Synced");
  return synced === undefined ? undefined : Number(synced.status === "True");
}

function secondsOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time) / 1000;
}
