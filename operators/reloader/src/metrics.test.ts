import { VirtualClock } from "@keelson/testkit";
import { MetricsRegistry } from "keelson/telemetry";
import { describe, expect, it } from "vitest";
import { type MeasuredReload, ReloaderMetrics } from "./metrics.ts";

const workload = { kind: "Deployment", namespace: "shop", name: "web" } as const;
const secret = { kind: "Secret", namespace: "shop", name: "db" } as const;

const reload: MeasuredReload = {
  ...{ workload, strategy: "env-vars", origin: "config", actionMs: 300, changeMs: 7_200_000 },
  changes: [
    { resource: secret, from: "a", to: "b", upstreamHash: "c", isExplicit: true },
    { resource: { ...secret, name: "tls" }, from: "absent", to: "b", upstreamHash: "c", isExplicit: true },
    {
      ...{ resource: { ...secret, kind: "ConfigMap" }, from: "a", to: "absent" },
      ...{ upstreamHash: undefined, isExplicit: false },
    },
  ],
};

function started(options = {}): {
  metrics: ReloaderMetrics;
  clock: VirtualClock;
  lines: (start: string) => readonly string[];
} {
  const clock = new VirtualClock();
  const registry = new MetricsRegistry();
  const metrics = new ReloaderMetrics(registry, clock, options);
  const lines = (start: string): readonly string[] =>
    registry
      .render()
      .split("\n")
      .filter((line) => line.startsWith(start));
  return { metrics, clock, lines };
}

describe("the metrics with upstream's names", () => {
  it("have reloads of either result from the start, and none by namespace", () => {
    const { lines } = started();
    expect(lines("reloader_reload_executed_total")).toEqual([
      'reloader_reload_executed_total{success="true"} 0',
      'reloader_reload_executed_total{success="false"} 0',
    ]);
  });

  it("count reloads by namespace if that is asked for", () => {
    const { metrics, lines } = started({ isByNamespace: true });
    metrics.reloaded(reload);
    metrics.reloadFailed(reload);
    expect(lines("reloader_reload_executed_total")).toEqual([
      'reloader_reload_executed_total{success="true"} 1',
      'reloader_reload_executed_total{success="false"} 1',
      'reloader_reload_executed_total_by_namespace{success="true",namespace="shop"} 1',
      'reloader_reload_executed_total_by_namespace{success="false",namespace="shop"} 1',
    ]);
    expect(lines("reloader_action_total")).toEqual([
      'reloader_action_total{workload_kind="Deployment",result="success"} 1',
      'reloader_action_total{workload_kind="Deployment",result="error"} 1',
    ]);
    expect(lines("reloader_action_latency_seconds_sum")).toEqual([
      'reloader_action_latency_seconds_sum{workload_kind="Deployment"} 0.6',
    ]);
  });

  it("have upstream's types, labels and buckets", () => {
    const { metrics, lines } = started();
    metrics.reconciled("skipped", 4);
    metrics.skipped("no_data_change");
    metrics.failed("update_workload");
    metrics.retried();
    metrics.eventReceived("update", "SecretProviderClass");
    metrics.eventProcessed("delete", "ConfigMap", "success");
    metrics.scanned("StatefulSet", 3);
    metrics.matched("StatefulSet");
    expect(lines("reloader_reconcile").filter((line) => !line.includes("_sum"))).toEqual([
      'reloader_reconcile_total{result="skipped"} 1',
      ...["0.001", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "+Inf"].map(
        (le, index) =>
          `reloader_reconcile_duration_seconds_bucket{result="skipped",le="${le}"} ${Number(index > 0)}`,
      ),
      'reloader_reconcile_duration_seconds_count{result="skipped"} 1',
    ]);
    const others = ["skipped", "errors", "retries", "events", "workloads"];
    expect(others.flatMap((other) => lines(`reloader_${other}_`))).toEqual([
      'reloader_skipped_total{reason="no_data_change"} 1',
      'reloader_errors_total{type="update_workload"} 1',
      "reloader_retries_total 1",
      'reloader_events_received_total{event_type="update",resource_type="secretproviderclasspodstatuses"} 1',
      'reloader_events_processed_total{event_type="delete",resource_type="configmaps",result="success"} 1',
      'reloader_workloads_scanned_total{kind="StatefulSet"} 3',
      'reloader_workloads_matched_total{kind="StatefulSet"} 1',
    ]);
  });

  it("count a workload once while it is in the queue", async () => {
    const { metrics, clock, lines } = started();
    metrics.queued(workload);
    await clock.advance(1000);
    metrics.queued(workload);
    metrics.queued({ ...workload, kind: "StatefulSet" });
    const shown = (): readonly string[] =>
      lines("reloader_workqueue").filter((line) => !line.includes("_bucket"));
    expect(shown()).toEqual([
      "reloader_workqueue_depth 2",
      "reloader_workqueue_adds_total 2",
      "reloader_workqueue_latency_seconds_sum 0",
      "reloader_workqueue_latency_seconds_count 0",
    ]);
    await clock.advance(1500);
    metrics.dequeued(workload);
    await clock.advance(9000);
    metrics.dequeued(workload);
    expect(shown()).toEqual([
      "reloader_workqueue_depth 1",
      "reloader_workqueue_adds_total 2",
      "reloader_workqueue_latency_seconds_sum 2.5",
      "reloader_workqueue_latency_seconds_count 1",
    ]);
  });
});

describe("our metrics", () => {
  it("show which kind of resource rolled which kind of workload, and why", () => {
    const { metrics, lines } = started();
    metrics.reloaded(reload);
    metrics.notified({ ...reload, changes: reload.changes.slice(0, 1) });
    const labels = 'workload_kind="Deployment",change';
    expect(lines("keelson_reloader_changes_total")).toEqual([
      `keelson_reloader_changes_total{resource_kind="Secret",${labels}="updated",origin="config",strategy="env-vars",outcome="reloaded"} 1`,
      `keelson_reloader_changes_total{resource_kind="Secret",${labels}="created",origin="config",strategy="env-vars",outcome="reloaded"} 1`,
      `keelson_reloader_changes_total{resource_kind="ConfigMap",${labels}="deleted",origin="config",strategy="env-vars",outcome="reloaded"} 1`,
      `keelson_reloader_changes_total{resource_kind="Secret",${labels}="updated",origin="config",strategy="env-vars",outcome="notified"} 1`,
    ]);
    expect(lines("keelson_reloader_change_to_reload_seconds_sum")).toEqual([
      'keelson_reloader_change_to_reload_seconds_sum{workload_kind="Deployment"} 7200',
    ]);
  });

  it("show what waits and why, until the workload is deleted", async () => {
    const { metrics, clock, lines } = started();
    const pending = { since: "1970-01-01T00:01:40Z", resources: ["shop/Secret/db"] };
    metrics.show(
      workload,
      { pending: { ...pending, reason: "OutsideWindow" }, lastError: "conflict" },
      undefined,
    );
    const api = { ...workload, name: "api" };
    metrics.show(api, { pending: { ...pending, reason: "CircuitOpen" } }, clock.now() + 1000);
    metrics.show({ ...workload, name: "db" }, { restart: { startedAt: pending.since } }, undefined);
    expect(lines("keelson_reloader").filter((line) => !line.endsWith(" 0"))).toEqual([
      "keelson_reloader_records 3",
      "keelson_reloader_circuit_breakers_open 1",
      "keelson_reloader_never_due_workloads 1",
      "keelson_reloader_restarting_workloads 1",
      "keelson_reloader_failing_workloads 1",
      'keelson_reloader_pending_workloads{reason="OutsideWindow"} 1',
      'keelson_reloader_pending_workloads{reason="CircuitOpen"} 1',
      'keelson_reloader_oldest_pending_timestamp_seconds{reason="OutsideWindow"} 100',
      'keelson_reloader_oldest_pending_timestamp_seconds{reason="CircuitOpen"} 100',
    ]);
    await clock.advance(1000);
    expect(lines("keelson_reloader_circuit_breakers_open")).toEqual([
      "keelson_reloader_circuit_breakers_open 0",
    ]);
    for (const name of ["web", "api", "db"]) metrics.forget({ ...workload, name });
    expect(lines("keelson_reloader").filter((line) => !line.endsWith(" 0"))).toEqual([]);
  });
});
