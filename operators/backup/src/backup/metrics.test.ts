import { MetricsRegistry } from "keelson/telemetry";
import { expect, it } from "vitest";
import { BackUpMetrics } from "./metrics.ts";

const key = { namespace: "shop", name: "nightly" };
const unknown = { suspend: true, isScheduled: false, creationTimestamp: undefined };

it("has a sample for each field of the status, and none for a missing field", () => {
  const registry = new MetricsRegistry();
  const metrics = new BackUpMetrics(registry);
  metrics.show(key, { ...unknown, status: { failures: 2, lastDuration: "1h0m5s" } });
  const lines = registry
    .render()
    .split("\n")
    .filter((line) => line.startsWith("keelson"));
  expect(lines).toEqual([
    'keelson_backup_last_duration_seconds{namespace="shop",name="nightly"} 3605',
    'keelson_backup_failures_total{namespace="shop",name="nightly"} 2',
    'keelson_backup_suspended{namespace="shop",name="nightly"} 1',
    'keelson_backup_scheduled{namespace="shop",name="nightly"} 0',
  ]);
});

it("has no samples of a BackUp that was deleted", () => {
  const registry = new MetricsRegistry();
  const metrics = new BackUpMetrics(registry);
  metrics.show(key, { ...unknown, status: {} });
  metrics.forget(key);
  expect(registry.render()).toBe("");
});
