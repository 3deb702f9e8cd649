import { readFileSync } from "node:fs";
import { MetricsRegistry } from "keelson/telemetry";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { BackUpMetrics, metricNames } from "./backup/metrics.ts";

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const file = readFileSync(new URL("../alerts/backup-alerts.yaml", import.meta.url), "utf8");
const { spec }: { readonly spec: { readonly groups: readonly { readonly rules: readonly AlertRule[] }[] } } =
  parse(file);
const rules = spec.groups.flatMap((group) => group.rules);

/** The metrics of a BackUp whose status has every field. */
function shownNames(): readonly string[] {
  const registry = new MetricsRegistry();
  new BackUpMetrics(registry).show(
    { namespace: "shop", name: "nightly" },
    {
      status: { lastSuccessTime: "2026-01-02T03:04:05Z", lastDuration: "1m5s", failures: 2 },
      suspend: false,
      isScheduled: true,
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
  );
  return registry
    .render()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.slice(0, line.indexOf("{")));
}

describe("the alert rules", () => {
  it("are about a backup that is missing, one that failed, and one that is suspended", () => {
    expect(rules.map(({ alert }) => alert)).toEqual([
      "BackUpNotSuccessful",
      "BackUpFailed",
      "BackUpSuspended",
    ]);
    expect(rules[0]?.annotations.summary).toMatch(/^No successful backup within/);
  });

  it.each(rules.map(({ alert, expr }) => [alert, expr]))("use only metrics that exist: %s", (_, expr) => {
    const named = expr?.match(/keelson_[a-z_]+/g) ?? [];
    expect(named).not.toEqual([]);
    for (const name of named) expect(shownNames()).toContain(name);
  });
});

it("has every metric for a BackUp whose status has every field", () => {
  expect(shownNames().toSorted()).toEqual(Object.values(metricNames).toSorted());
});
