import { readFileSync } from "node:fs";
import { MetricsRegistry } from "keelson/telemetry";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ConditionType, EventReason, Reason } from "./api/reasons.ts";
import { SharedSecret } from "./api/shared-secret.ts";
import { metricNames, SharedSecretMetrics } from "./metrics.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const readme = read("../README.md");

describe("the README", () => {
  it("shows a SharedSecret that the schema accepts", () => {
    const [, text = ""] = /```yaml\n(apiVersion: vault[^`]*)```/.exec(readme) ?? [];
    expect(SharedSecret.schemas.spec.safeParse(parse(text).spec)).toMatchObject({ success: true });
  });

  it.each([
    ...Object.values(metricNames),
    ...Object.values(EventReason),
    ...Object.values(Reason),
    ...Object.values(ConditionType),
  ])("describes %s", (name) => {
    expect(readme).toContain(`\`${name}\``);
  });
});

describe("the alert rules", () => {
  const rules: readonly { readonly alert: string; readonly expr: string }[] = parse(
    read("../alerts/shared-secret-alerts.yaml"),
  ).spec.groups.flatMap(({ rules: each }: { readonly rules: readonly object[] }) => each);

  it.each(rules.map(({ alert, expr }) => [alert, expr]))("use only metrics that exist: %s", (_, expr) => {
    const registry = new MetricsRegistry();
    const time = "2026-11-18T10:00:00Z";
    const synced = {
      type: "Synced",
      status: "True" as const,
      reason: "Verified",
      message: "",
      lastTransitionTime: time,
    };
    new SharedSecretMetrics(registry).show(
      { namespace: "shop", name: "db" },
      { approved: true, conditions: [synced], rotation: { lastTime: time, nextTime: time } },
    );
    const shown = registry.render();
    const named = expr?.match(/keelson_[a-z_]+/g) ?? [];
    expect(named).not.toEqual([]);
    for (const name of named) expect(shown).toContain(`${name}{`);
  });
});
