import { readdirSync, readFileSync } from "node:fs";
import { isRecord } from "keelson/low-level";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { labelsOfMetrics } from "../test/support/metric-labels.ts";

const folder = (name: string): URL => new URL(`../${name}/`, import.meta.url);
const rules: readonly Readonly<Record<string, string>>[] = parse(
  readFileSync(new URL("azimuth-capi-alerts.yaml", folder("alerts")), "utf8"),
).spec.groups.flatMap((group: { readonly rules: readonly object[] }) => group.rules);

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat?: string }[];
}

const dashboards: readonly {
  readonly title: string;
  readonly uid: string;
  readonly panels: readonly Panel[];
}[] = readdirSync(folder("dashboards"))
  .sort()
  .map((file) => JSON.parse(readFileSync(new URL(file, folder("dashboards")), "utf8")));

/** The metrics in an expression, and the labels that it uses, apart from those that it makes itself. */
function namesIn(expr: string): { readonly metrics: readonly string[]; readonly labels: readonly string[] } {
  const made = [...expr.matchAll(/label_replace\(.*?, "(\w+)", "\$1", "\w+"/g)].map(([, label]) => label);
  const grouped = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(", "));
  const matched = [...expr.matchAll(/\{(\w+)(?:=|!=|=~)"/g)].map(([, label = ""]) => label);
  const replaced = [...expr.matchAll(/"\$1", "(\w+)"/g)].map(([, label = ""]) => label);
  return {
    metrics: expr.match(/\bazimuth_[a-z_]+/g) ?? [],
    labels: [...grouped, ...matched, ...replaced].filter((label) => !made.includes(label)),
  };
}

/** What an expression uses and does not exist. */
function unknownIn(expr: string): readonly string[] {
  const metricLabels = labelsOfMetrics();
  const { metrics, labels } = namesIn(expr);
  const known = metrics.flatMap((metric) => metricLabels[metric] ?? []);
  return [
    ...metrics.filter((metric) => !Object.hasOwn(metricLabels, metric)),
    ...labels.filter((label) => !known.includes(label)),
  ];
}

const expressions = dashboards.flatMap(({ title, panels }) =>
  panels.flatMap((panel) =>
    (panel.targets ?? []).map(({ expr, legendFormat = "" }) => ({
      panel: `${title}: ${panel.title}`,
      expr,
      legendFormat,
    })),
  ),
);

it("finds metrics and labels that do not exist", () => {
  expect(unknownIn('max by (cluster_name, addon) (azimuth_kube_cluster_phase{role!="x"})')).toEqual([
    "addon",
    "role",
  ]);
  expect(unknownIn("sum(azimuth_kube_clusters)")).toEqual(["azimuth_kube_clusters"]);
  const replaced = (from: string): string =>
    `max by (net) (label_replace(azimuth_kube_cluster_networking_phase, "net", "$1", "${from}", "(.*)"))`;
  expect(unknownIn(replaced("phase"))).toEqual([]);
  expect(unknownIn(replaced("node"))).toEqual(["node"]);
});

describe("H.3: the alert rules", () => {
  it("are those of the original, with their severity and patience", () => {
    const summary = rules.map(({ alert, for: patience, labels }) => [
      ...[alert, patience, isRecord(labels) ? labels.severity : undefined],
    ]);
    expect(summary).toEqual([
      ["AzimuthKubernetesClusterNotReady", "1h", "warning"],
      ["AzimuthKubernetesAppNotDeployed", "1h", "warning"],
      ["AzimuthKubernetesNgnixIngressNotRemoved", "5m", "info"],
      ["AzimuthKubernetesDashboardNotRemoved", "5m", "info"],
    ]);
  });

  it.each(rules.map(({ alert = "", expr = "", annotations }) => [alert, expr, JSON.stringify(annotations)]))(
    "use only metrics and labels that exist: %s",
    (_, expr, annotations) => {
      const { metrics, labels } = namesIn(expr);
      expect(metrics).toHaveLength(1);
      expect(unknownIn(expr)).toEqual([]);
      const shown = [...annotations.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
      expect(shown).not.toEqual([]);
      for (const label of shown) expect(labels).toContain(label);
    },
  );

  it("do not depend on the phase, so that a change of it does not start the time again", () => {
    for (const { expr } of rules)
      expect(expr).toMatch(/^max by \((cluster|app)_namespace, (cluster|app)_name\) /);
  });
});

describe("H.3: the dashboards", () => {
  it("are about clusters and apps", () => {
    expect(dashboards.map(({ title }) => title)).toEqual([
      "Azimuth / Kubernetes apps",
      "Azimuth / Kubernetes clusters",
    ]);
    expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(2);
  });

  it.each(expressions)("use only metrics and labels that exist: $panel", ({ expr, legendFormat }) => {
    expect(namesIn(expr).metrics).not.toEqual([]);
    expect(unknownIn(expr)).toEqual([]);
    const [, legend] = /\{\{(\w+)\}\}/.exec(legendFormat) ?? [];
    if (legendFormat !== "") expect(expr).toMatch(new RegExp(`^count by \\(${legend}\\) `));
  });

  it("show every metric", () => {
    const shown = new Set(expressions.flatMap(({ expr }) => namesIn(expr).metrics));
    expect([...shown].sort()).toEqual(Object.keys(labelsOfMetrics()).sort());
  });

  it.each(dashboards)("have panels of their own ids that do not overlap: $title", ({ panels }) => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { gridPos, title } of panels)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(x, title).toBeLessThan(24);
          expect(taken.has(`${x} ${y}`), title).toBe(false);
          taken.add(`${x} ${y}`);
        }
  });
});
