import { formatKey, type ObjectKey, parseDurationMs } from "keelson";
import type { MetricsRegistry, Sample } from "keelson/telemetry";
import type { BackUpStatus } from "../api/status.ts";

const labels = ["namespace", "name"] as const;

/** Under which names metrics are shown; alerts and dashboards are written with them. */
export const metricNames = {
  lastSuccess: "keelson_backup_last_success_timestamp_seconds",
  lastDuration: "keelson_backup_last_duration_seconds",
  failures: "keelson_backup_failures_total",
  suspended: "keelson_backup_suspended",
  scheduled: "keelson_backup_scheduled",
  created: "keelson_backup_created_timestamp_seconds",
} as const;

/** What is shown of one BackUp. */
export interface MeasuredBackUp {
  readonly status: BackUpStatus;
  readonly suspend: boolean;
  readonly isScheduled: boolean;
  readonly creationTimestamp: string | undefined;
}

type Read = (backup: MeasuredBackUp) => number | undefined;

/**
 * Metrics of every BackUp that there is. They are what the status says, so that neither a restart nor another leader
 * loses them.
 */
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

  show(key: ObjectKey, backup: MeasuredBackUp): void {
    this.#backups.set(formatKey(key), { ...backup, key });
  }

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
