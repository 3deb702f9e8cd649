import { formatKey, type ObjectKey, parseDurationMs } from "keelson";
import type { MetricsRegistry, Sample } from "keelson/telemetry";
import type { BackUpStatus } from "../api/status.ts";

const labels = ["namespace", "name"] as const;

/** The names of the metrics; alert rules and dashboards depend on them. */
export const metricNames = {
  lastSuccess: "keelson_backup_last_success_timestamp_seconds",
  lastDuration: "keelson_backup_last_duration_seconds",
  failures: "keelson_backup_failures_total",
  suspended: "keelson_backup_suspended",
  scheduled: "keelson_backup_scheduled",
  created: "keelson_backup_created_timestamp_seconds",
} as const;

/** What the metrics show of one BackUp. */
export interface MeasuredBackUp {
  readonly status: BackUpStatus;
  readonly suspend: boolean;
  readonly isScheduled: boolean;
  readonly creationTimestamp: string | undefined;
}

type Read = (backup: MeasuredBackUp) => number | undefined;

/** Metrics of every BackUp. Their values come from the status, so that they survive a restart and a change of the leader. */
export class BackUpMetrics {
  readonly #backups = new Map<string, MeasuredBackUp & { readonly key: ObjectKey }>();

  constructor(registry: MetricsRegistry) {
    const add = (type: "gauge" | "counter", name: string, help: string, read: Read): void =>
      registry.collected(type, { name, help, labels }, () => this.#samples(read));
    add("gauge", metricNames.lastSuccess, "When the last successful run of a BackUp ended.", ({ status }) =>
      timeOf(status.lastSuccessTime),
    );
    add("gauge", metricNames.lastDuration, "How long the last run of a BackUp took.", ({ status }) =>
      secondsOf(status.lastDuration),
    );
    add(
      "counter",
      metricNames.failures,
      "How many runs of a BackUp have failed.",
      ({ status }) => status.failures ?? 0,
    );
    add("gauge", metricNames.suspended, "1 if a BackUp is suspended, else 0.", ({ suspend }) =>
      Number(suspend),
    );
    add("gauge", metricNames.scheduled, "1 if a BackUp has a schedule, else 0.", ({ isScheduled }) =>
      Number(isScheduled),
    );
    add("gauge", metricNames.created, "When a BackUp was created.", ({ creationTimestamp }) =>
      timeOf(creationTimestamp),
    );
  }

  /** Sets the metrics of a BackUp. */
  show(key: ObjectKey, backup: MeasuredBackUp): void {
    this.#backups.set(formatKey(key), { ...backup, key });
  }

  /** Removes the metrics of a BackUp that does not exist any more. */
  forget(key: ObjectKey): void {
    this.#backups.delete(formatKey(key));
  }

  *#samples(read: Read): Iterable<Sample> {
    for (const backup of this.#backups.values()) {
      const { namespace = "", name } = backup.key;
      const value = read(backup);
      if (value !== undefined) yield { labels: [namespace, name], value };
    }
  }
}

function timeOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time) / 1000;
}

function secondsOf(duration: string | undefined): number | undefined {
  const ms = duration === undefined ? undefined : parseDurationMs(duration);
  return ms === undefined ? undefined : ms / 1000;
}
