import type { Clock } from "keelson";
import type { Counter, MetricsRegistry, Sample } from "keelson/telemetry";
import type { ReloadRecordStatus } from "./api/reload-record.ts";
import type { Strategy } from "./decision/reload-policy.ts";
import { absent, type ResourceChange } from "./reload/reload-request.ts";
import type { ResourceKind } from "./resource/watched-resource.ts";
import { formatWorkload, type WorkloadKindName, type WorkloadRef } from "./workload/workload-kind.ts";

/** The names of our metrics; alert rules and dashboards depend on them. Those of upstream start with `reloader_`. */
export const metricNames = {
  changes: "keelson_reloader_changes_total",
  changeToReload: "keelson_reloader_change_to_reload_seconds",
  records: "keelson_reloader_records",
  pending: "keelson_reloader_pending_workloads",
  oldestPending: "keelson_reloader_oldest_pending_timestamp_seconds",
  neverDue: "keelson_reloader_never_due_workloads",
  circuitBreakersOpen: "keelson_reloader_circuit_breakers_open",
  restarting: "keelson_reloader_restarting_workloads",
  failing: "keelson_reloader_failing_workloads",
} as const;

/** How a reconcile of a workload ended: `skipped` if it had no change, or its changes wait. */
export type ReconcileResult = "success" | "error" | "skipped";

/** Why a change of a resource was not followed by a reload; the first three are upstream's. */
export type SkipReason =
  | "no_data_change"
  | "ignored_or_not_selected"
  | "strategy_not_updated"
  | "no_match"
  | "not_found"
  | "notify_only"
  | "paused"
  | "outside_window"
  | "circuit_open"
  | "rate_limited";

/** What failed; the first is upstream's. */
export type ErrorType =
  | "handler_error"
  | "update_workload"
  | "restart_workload"
  | "update_record"
  | "webhook_send";

/** What a watch reported. */
export type EventType = "add" | "update" | "delete";

/** What ended the waiting of a change. */
export type ChangeOutcome = "reloaded" | "notified";

type PendingReason = NonNullable<ReloadRecordStatus["pending"]>["reason"];

const pendingReasons: readonly PendingReason[] = [
  ...(["Paused", "OutsideWindow", "CircuitOpen", "RateLimited", "Collecting", "ReloadFailed"] as const),
];

/** Upstream's names of the resources. */
const resourceTypes: Readonly<Record<ResourceKind, string>> = {
  ConfigMap: "configmaps",
  Secret: "secrets",
  SecretProviderClass: "secretproviderclasspodstatuses",
};

/** Upstream's buckets. */
const queueBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const reconcileBuckets = [...queueBuckets, 10];
const actionBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** From a second to a week: a change may wait for a window. */
const changeBuckets = [
  1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 10_800, 21_600, 43_200, 86_400, 259_200, 604_800,
];

/** A reload, or the attempt of one, for the metrics. */
export interface MeasuredReload {
  readonly workload: WorkloadRef;
  readonly strategy: Strategy;
  readonly changes: readonly ResourceChange[];
  /** Whether an annotation or a ReloaderConfig asked for it. */
  readonly origin: "annotations" | "config";
  /** From when the workload could be reloaded until it was: without the time for which the changes had to wait. */
  readonly actionMs: number;
  /** From when the first of the changes was seen until the reload. */
  readonly changeMs: number;
}

/** The options of the metrics. */
export interface ReloaderMetricsOptions {
  /** Counts reloads by namespace as well. Default: false. */
  readonly isByNamespace?: boolean;
}

/** The metrics of upstream and ours. Labels have few values; a workload or a resource is never one of them. */
export class ReloaderMetrics {
  readonly #clock: Clock;
  readonly #upstream: ReturnType<typeof upstreamFamilies>;
  readonly #ours: ReturnType<typeof ourFamilies>;
  readonly #byNamespace: ReturnType<typeof namespaceFamily> | undefined;
  readonly #workloads = new Map<string, MeasuredWorkload>();
  /** When the keys were added that no worker has taken. */
  readonly #queued = new Map<string, number>();

  constructor(
    registry: MetricsRegistry,
    clock: Clock,
    { isByNamespace = false }: ReloaderMetricsOptions = {},
  ) {
    this.#clock = clock;
    this.#upstream = upstreamFamilies(registry, () => this.#queued.size);
    this.#byNamespace = isByNamespace ? namespaceFamily(registry) : undefined;
    this.#ours = ourFamilies(registry);
    this.#addGauges(registry);
  }

  /** A source has added a workload to the queue. One that waits there already is not counted again. */
  queued(workload: WorkloadRef): void {
    const key = formatWorkload(workload);
    if (this.#queued.has(key)) return;
    this.#queued.set(key, this.#clock.monotonicNow());
    this.#upstream.adds.add();
  }

  /** A worker has begun to reconcile a workload. */
  dequeued(workload: WorkloadRef): void {
    const key = formatWorkload(workload);
    const queuedMs = this.#queued.get(key);
    if (queuedMs === undefined) return;
    this.#queued.delete(key);
    this.#upstream.queueLatency.observe((this.#clock.monotonicNow() - queuedMs) / 1000);
  }

  /** A reconcile of a workload has ended; each is counted once. */
  reconciled(result: ReconcileResult, ms: number): void {
    this.#upstream.reconciles.with(result).add();
    this.#upstream.reconcileDuration.with(result).observe(ms / 1000);
  }

  /** A workload was reloaded. */
  reloaded(reload: MeasuredReload): void {
    const { workload, changeMs } = reload;
    this.#acted(reload, "success");
    this.#ours.changeToReload.with(workload.kind).observe(changeMs / 1000);
    this.#countChanges("reloaded", reload);
  }

  /** A workload could not be reloaded. */
  reloadFailed(reload: MeasuredReload): void {
    this.#acted(reload, "error");
  }

  /** Changes were reported, and the workload was left as it is. */
  notified(reload: MeasuredReload): void {
    this.#countChanges("notified", reload);
    this.skipped("notify_only");
  }

  skipped(reason: SkipReason): void {
    this.#upstream.skipped.with(reason).add();
  }

  failed(type: ErrorType): void {
    this.#upstream.errors.with(type).add();
  }

  /** A reload that failed is tried again. */
  retried(): void {
    this.#upstream.retries.add();
  }

  /** A watch reported an event of a resource. */
  eventReceived(type: EventType, resource: ResourceKind): void {
    this.#upstream.eventsReceived.with(type, resourceTypes[resource]).add();
  }

  /** The workloads of an event were added to the queue, or could not be found. */
  eventProcessed(type: EventType, resource: ResourceKind, result: "success" | "dropped"): void {
    this.#upstream.eventsProcessed.with(type, resourceTypes[resource], result).add();
  }

  /** So many workloads of a kind may use a changed resource. */
  scanned(kind: WorkloadKindName, workloads: number): void {
    this.#upstream.scanned.with(kind).add(workloads);
  }

  /** A workload has changes that are rolled out or reported now. */
  matched(kind: WorkloadKindName): void {
    this.#upstream.matched.with(kind).add();
  }

  /** Shows what is recorded of a workload. These metrics come from the status, so that a restart does not change them. */
  show(workload: WorkloadRef, status: ReloadRecordStatus, circuitOpenUntilMs: number | undefined): void {
    const { pending, restart, lastError } = status;
    this.#workloads.set(formatWorkload(workload), {
      circuitOpenUntilMs,
      isRestarting: restart !== undefined,
      isFailing: lastError !== undefined,
      pending: pending && {
        reason: pending.reason,
        since: Date.parse(pending.since) / 1000,
        isNeverDue: pending.until === undefined && pending.reason === "OutsideWindow",
      },
    });
  }

  /** The workload or its record was deleted. */
  forget(workload: WorkloadRef): void {
    const key = formatWorkload(workload);
    this.#workloads.delete(key);
    this.#queued.delete(key);
  }

  #acted({ workload: { kind, namespace }, actionMs }: MeasuredReload, result: "success" | "error"): void {
    const isSuccess = result === "success" ? "true" : "false";
    this.#upstream.executed.with(isSuccess).add();
    this.#byNamespace?.with(isSuccess, namespace).add();
    this.#upstream.actions.with(kind, result).add();
    this.#upstream.actionLatency.with(kind).observe(actionMs / 1000);
  }

  #countChanges(outcome: ChangeOutcome, { workload, strategy, changes, origin }: MeasuredReload): void {
    for (const change of changes)
      this.#ours.changes
        .with(change.resource.kind, workload.kind, changeOf(change), origin, strategy, outcome)
        .add();
  }

  #addGauges(registry: MetricsRegistry): void {
    const add = (name: string, help: string, isCounted: (workload: MeasuredWorkload) => boolean): void =>
      registry.collected("gauge", { name, help }, () => [
        { labels: [], value: this.#count((workload) => isCounted(workload)) },
      ]);
    add(metricNames.records, "Number of workloads with a ReloadRecord.", () => true);
    add(
      metricNames.circuitBreakersOpen,
      "Number of workloads that are not reloaded because they were reloaded too often.",
      // No event marks the end.
      ({ circuitOpenUntilMs = 0 }) => circuitOpenUntilMs > this.#clock.now(),
    );
    add(
      metricNames.neverDue,
      "Number of workloads with changes that wait for a restart window which never opens.",
      ({ pending }) => pending?.isNeverDue === true,
    );
    add(
      metricNames.restarting,
      "Number of workloads whose pods are being evicted one after the other.",
      ({ isRestarting }) => isRestarting,
    );
    add(metricNames.failing, "Number of workloads whose last reload failed.", ({ isFailing }) => isFailing);
    registry.collected(
      "gauge",
      {
        name: metricNames.pending,
        help: "Number of workloads with changes that wait, by reason.",
        labels: ["reason"],
      },
      () =>
        pendingReasons.map((reason) => ({
          labels: [reason],
          value: this.#count(({ pending }) => pending?.reason === reason),
        })),
    );
    registry.collected(
      "gauge",
      {
        name: metricNames.oldestPending,
        help: "Since when the workload with the oldest waiting change waits, by reason.",
        labels: ["reason"],
      },
      () => this.#oldestPending(),
    );
  }

  #count(isCounted: (workload: MeasuredWorkload) => boolean): number {
    let count = 0;
    for (const workload of this.#workloads.values()) if (isCounted(workload)) count++;
    return count;
  }

  #oldestPending(): Iterable<Sample> {
    const oldest = new Map<PendingReason, number>();
    for (const { pending } of this.#workloads.values())
      if (pending !== undefined)
        oldest.set(pending.reason, Math.min(pending.since, oldest.get(pending.reason) ?? pending.since));
    return [...oldest].map(([reason, value]) => ({ labels: [reason], value }));
  }
}

/** What the metrics keep of one workload. */
interface MeasuredWorkload {
  readonly circuitOpenUntilMs: number | undefined;
  readonly isRestarting: boolean;
  readonly isFailing: boolean;
  readonly pending:
    | { readonly reason: PendingReason; readonly since: number; readonly isNeverDue: boolean }
    | undefined;
}

function changeOf({ from, to }: ResourceChange): "created" | "deleted" | "updated" {
  if (to === absent) return "deleted";
  return from === absent ? "created" : "updated";
}

/** Upstream's metrics, under its names, with its labels and buckets. */
function upstreamFamilies(registry: MetricsRegistry, queueDepth: () => number) {
  const executed = registry.counter({
    name: "reloader_reload_executed_total",
    help: "Number of reloads, by success.",
    labels: ["success"],
  });
  for (const success of ["true", "false"]) executed.with(success);
  const without = (name: string, help: string): Counter => registry.counter({ name, help }).with();
  const by = <const Labels extends readonly string[]>(name: string, help: string, labels: Labels) =>
    registry.counter({ name, help, labels });
  registry.collected(
    "gauge",
    { name: "reloader_workqueue_depth", help: "Number of workloads that wait to be reconciled." },
    () => [{ labels: [], value: queueDepth() }],
  );
  return {
    executed,
    reconciles: by("reloader_reconcile_total", "Number of reconciles of workloads, by result.", ["result"]),
    reconcileDuration: registry.histogram({
      name: "reloader_reconcile_duration_seconds",
      help: "Duration of reconciles of workloads, by result.",
      labels: ["result"],
      buckets: reconcileBuckets,
    }),
    actions: by("reloader_action_total", "Number of reloads, by kind of the workload and result.", [
      "workload_kind",
      "result",
    ]),
    actionLatency: registry.histogram({
      name: "reloader_action_latency_seconds",
      help: "Time from when a change was seen, or did not have to wait any longer, until the workload was changed.",
      labels: ["workload_kind"],
      buckets: actionBuckets,
    }),
    skipped: by("reloader_skipped_total", "Number of changes without a reload, by reason.", ["reason"]),
    errors: by("reloader_errors_total", "Number of errors, by type.", ["type"]),
    retries: without("reloader_retries_total", "Number of reloads that were tried again."),
    adds: without("reloader_workqueue_adds_total", "Number of workloads that were added to the queue."),
    queueLatency: registry
      .histogram({
        name: "reloader_workqueue_latency_seconds",
        help: "Time for which workloads were in the queue.",
        buckets: queueBuckets,
      })
      .with(),
    eventsReceived: by("reloader_events_received_total", "Number of events of watched resources.", [
      "event_type",
      "resource_type",
    ]),
    eventsProcessed: by(
      "reloader_events_processed_total",
      "Number of events of watched resources whose workloads were found, by result.",
      ["event_type", "resource_type", "result"],
    ),
    scanned: by(
      "reloader_workloads_scanned_total",
      "Number of workloads that a changed resource may count for.",
      ["kind"],
    ),
    matched: by(
      "reloader_workloads_matched_total",
      "Number of times that changed resources counted for a workload.",
      ["kind"],
    ),
  };
}

function namespaceFamily(registry: MetricsRegistry) {
  return registry.counter({
    name: "reloader_reload_executed_total_by_namespace",
    help: "Number of reloads, by success and namespace.",
    labels: ["success", "namespace"],
  });
}

function ourFamilies(registry: MetricsRegistry) {
  return {
    changes: registry.counter({
      name: metricNames.changes,
      help: "Number of changes of resources that were rolled out or reported: of which kind, to which kind of workload, and why.",
      labels: ["resource_kind", "workload_kind", "change", "origin", "strategy", "outcome"],
    }),
    changeToReload: registry.histogram({
      name: metricNames.changeToReload,
      help: "Time from when a change was seen until the workload was reloaded, with the time for which it had to wait.",
      labels: ["workload_kind"],
      buckets: changeBuckets,
    }),
  };
}
