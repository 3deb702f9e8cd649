import { readFileSync } from "node:fs";
import { systemClock } from "keelson";
import { MetricsRegistry } from "keelson/telemetry";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { AlertMetrics, alertMetricNames } from "./alerts/alert-metrics.ts";
import { metricNames, ReloaderMetrics } from "./metrics.ts";

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
}

const file = readFileSync(new URL("../alerts/reloader-alerts.yaml", import.meta.url), "utf8");
const { spec }: { readonly spec: { readonly groups: readonly { readonly rules: readonly AlertRule[] }[] } } =
  parse(file);
const rules = spec.groups.flatMap((group) => group.rules);

const workload = { kind: "Deployment", namespace: "shop", name: "web" } as const;

/** The names of the metrics after a reload of a workload with a change that waits. */
function shownNames(): readonly string[] {
  const registry = new MetricsRegistry();
  const metrics = new ReloaderMetrics(registry, systemClock);
  metrics.show(
    workload,
    { pending: { since: "2026-01-01T00:00:00Z", resources: [], reason: "OutsideWindow" } },
    undefined,
  );
  const resource = { kind: "Secret", namespace: "shop", name: "db" } as const;
  metrics.reloaded({
    ...{ workload, strategy: "env-vars", origin: "annotations", actionMs: 1, changeMs: 1 },
    changes: [{ resource, from: "a", to: "b", upstreamHash: "c", isExplicit: true }],
  });
  const alertMetrics = new AlertMetrics(registry);
  alertMetrics.retried("slack");
  alertMetrics.took("slack", 1);
  alertMetrics.ended("slack", "failed");
  return registry
    .render()
    .split("\n")
    .filter((line) => line.startsWith("# TYPE "))
    .map((line) => line.split(" ")[2] ?? "");
}

describe("the alert rules", () => {
  it("are about reloads that fail, are stopped, never come or are too many, and about alerts", () => {
    expect(rules.map(({ alert }) => alert)).toEqual([
      ...["ReloadFailing", "ReloadCircuitOpen", "ReloadNeverDue", "ReloadWaitsLong", "ReloadStorm"],
      "ReloadAlertsNotSent",
    ]);
  });

  it.each(rules.map(({ alert, expr }) => [alert, expr]))("use only metrics that exist: %s", (_, expr) => {
    const named = expr?.match(/(keelson_)?reloader_[a-z_]+/g) ?? [];
    expect(named).not.toEqual([]);
    for (const name of named) expect(shownNames()).toContain(name);
  });
});

it("has every metric of ours after a reload, and while a change waits", () => {
  const ours = shownNames().filter((name) => name.startsWith("keelson_"));
  expect(ours.toSorted()).toEqual(
    [...Object.values(metricNames), ...Object.values(alertMetricNames)].toSorted(),
  );
});
