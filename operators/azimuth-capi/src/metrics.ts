import type { Stored } from "keelson";
import type { Cache } from "keelson/cache";
import type { MetricsRegistry, Sample } from "keelson/telemetry";
import type { AppTemplate } from "./api/app-template.ts";
import type { AddonStatus, Cluster, NodeStatus } from "./api/cluster.ts";
import type { ClusterTemplate } from "./api/cluster-template.ts";
import { appTemplateLabel } from "./api/names.ts";
import type { Kinds } from "./kinds.ts";
import { HelmRelease } from "./neighbours/addons.ts";

/** What the metrics are about, as the caches have it at the time of a scrape. */
export interface MeasuredObjects {
  readonly clusterTemplates: () => readonly Stored<ClusterTemplate>[];
  readonly appTemplates: () => readonly Stored<AppTemplate>[];
  readonly clusters: () => readonly Stored<Cluster>[];
  /** All of them; those that are no apps are left out. */
  readonly helmReleases: () => readonly Stored<HelmRelease>[];
}

/** One series of a metric; its value is 1 if the labels say all. */
interface Measured<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value?: number;
}

interface Metric<T, Label extends string = string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
  readonly measure: (object: T) => readonly Measured<Label>[];
}

/** Keeps the names of labels, so that a metric cannot have other ones than it says. */
function metric<T>() {
  return <const Label extends string>(definition: Metric<T, Label>): Metric<T> => definition;
}

const ofClusterTemplate = metric<Stored<ClusterTemplate>>();
const clusterTemplateMetrics = [
  ofClusterTemplate({
    name: "azimuth_kube_clustertemplate_kube_version",
    help: "The Kubernetes version of a ClusterTemplate.",
    labels: ["template_name", "kube_version"],
    measure: ({ metadata, spec }) => [
      { labels: { template_name: metadata.name, kube_version: spec.values.kubernetesVersion } },
    ],
  }),
  ofClusterTemplate({
    name: "azimuth_kube_clustertemplate_deprecated",
    help: "1 if a ClusterTemplate is deprecated, else 0.",
    labels: ["template_name"],
    measure: ({ metadata, spec }) => [
      { labels: { template_name: metadata.name }, value: Number(spec.deprecated ?? false) },
    ],
  }),
];

const ofAppTemplate = metric<Stored<AppTemplate>>();
const appTemplateMetrics = [
  ofAppTemplate({
    name: "azimuth_kube_apptemplate_info",
    help: "The chart of an AppTemplate.",
    labels: ["template_name", "chart_repo", "chart_name"],
    measure: ({ metadata, spec: { chart } }) => [
      {
        labels: {
          ...{ template_name: metadata.name, chart_name: chart.name },
          chart_repo: withoutPassword(chart.repo),
        },
      },
    ],
  }),
  ofAppTemplate({
    name: "azimuth_kube_apptemplate_last_sync",
    help: "When the versions of an AppTemplate were last read from its repository; 0 if they never were.",
    labels: ["template_name"],
    measure: ({ metadata, status }) => [
      { labels: { template_name: metadata.name }, value: secondsOf(status?.lastSync) },
    ],
  }),
  ofAppTemplate({
    name: "azimuth_kube_apptemplate_latest_version",
    help: "The newest version of an AppTemplate.",
    labels: ["template_name", "version"],
    measure: (template) => [
      { labels: { template_name: template.metadata.name, version: versionsOf(template)[0] ?? "0.0.0" } },
    ],
  }),
  ofAppTemplate({
    name: "azimuth_kube_apptemplate_version",
    help: "The versions of an AppTemplate.",
    labels: ["template_name", "version"],
    measure: (template) =>
      versionsOf(template).map((version) => ({
        labels: { template_name: template.metadata.name, version },
      })),
  }),
];

const ofCluster = metric<Stored<Cluster>>();
const clusterMetrics = [
  ofCluster({
    name: "azimuth_kube_cluster_template",
    help: "The template of a Cluster.",
    labels: ["cluster_namespace", "cluster_name", "template"],
    measure: (cluster) => [{ labels: { ...clusterLabels(cluster), template: cluster.spec.templateName } }],
  }),
  ofCluster({
    name: "azimuth_kube_cluster_kube_version",
    help: "The Kubernetes version of a Cluster; empty if it is not known.",
    labels: ["cluster_namespace", "cluster_name", "kube_version"],
    measure: (cluster) => [
      { labels: { ...clusterLabels(cluster), kube_version: cluster.status?.kubernetesVersion ?? "" } },
    ],
  }),
  clusterPhase("azimuth_kube_cluster_phase", "The phase of a Cluster.", "phase"),
  clusterPhase(
    "azimuth_kube_cluster_networking_phase",
    "The phase of the network of a Cluster.",
    "networkingPhase",
  ),
  clusterPhase(
    "azimuth_kube_cluster_control_plane_phase",
    "The phase of the control plane of a Cluster.",
    "controlPlanePhase",
  ),
  clusterCount("azimuth_kube_cluster_node_count", "How many nodes a Cluster has.", "nodeCount"),
  ofCluster({
    name: "azimuth_kube_cluster_node_phase",
    help: "The phase of a node.",
    labels: ["cluster_namespace", "cluster_name", "node", "role", "group", "phase"],
    measure: (cluster) =>
      nodesOf(cluster).map(([name, node]) => ({
        labels: { ...nodeLabels(cluster, name, node), phase: node.phase ?? "Unknown" },
      })),
  }),
  ofCluster({
    name: "azimuth_kube_cluster_node_kubelet_version",
    help: "The version of the kubelet of a node; empty if it is not known.",
    labels: ["cluster_namespace", "cluster_name", "node", "role", "group", "kubelet_version"],
    measure: (cluster) =>
      nodesOf(cluster).map(([name, node]) => ({
        labels: { ...nodeLabels(cluster, name, node), kubelet_version: node.kubeletVersion ?? "" },
      })),
  }),
  clusterCount("azimuth_kube_cluster_addon_count", "How many addons a Cluster has.", "addonCount"),
  ofCluster({
    name: "azimuth_kube_cluster_addon_phase",
    help: "The phase of an addon.",
    labels: ["cluster_namespace", "cluster_name", "addon", "phase"],
    measure: (cluster) =>
      addonsOf(cluster).map(([addon, { phase = "Unknown" }]) => ({
        labels: { ...clusterLabels(cluster), addon, phase },
      })),
  }),
];

const ofApp = metric<Stored<HelmRelease>>();
const appMetrics = [
  ofApp({
    name: "azimuth_kube_app_info",
    help: "The chart of an app, and where it is installed.",
    labels: [
      ...(["app_namespace", "app_name", "app_template", "target_cluster", "target_namespace"] as const),
      ...(["release_name", "chart_repo", "chart_name", "chart_version"] as const),
    ],
    measure: (app) =>
      appLabels(app).map((labels) => {
        const { targetNamespace = "", releaseName = app.metadata.name, chart = {} } = app.spec ?? {};
        return {
          labels: {
            ...{ ...labels, target_namespace: targetNamespace, release_name: releaseName },
            chart_repo: withoutPassword(chart.repo ?? ""),
            ...{ chart_name: chart.name ?? "", chart_version: chart.version ?? "" },
          },
        };
      }),
  }),
  ofApp({
    name: "azimuth_kube_app_phase",
    help: "The phase of an app.",
    labels: ["app_namespace", "app_name", "app_template", "target_cluster", "phase"],
    measure: (app) =>
      appLabels(app).map((labels) => ({ labels: { ...labels, phase: app.status?.phase ?? "Unknown" } })),
  }),
];

/**
 * Adds the metrics of templates, Clusters and apps, under the names and labels of the original. They are read from the caches
 * at each scrape: that costs no requests, and what is deleted is not shown any more.
 */
export function addAzimuthMetrics(
  registry: MetricsRegistry,
  cache: Pick<Cache, "acquire">,
  kinds: Pick<Kinds, "ClusterTemplate" | "AppTemplate" | "Cluster">,
): void {
  const clusterTemplates = cache.acquire(kinds.ClusterTemplate);
  const appTemplates = cache.acquire(kinds.AppTemplate);
  const clusters = cache.acquire(kinds.Cluster);
  const helmReleases = cache.acquire(HelmRelease);
  measureObjects(registry, {
    clusterTemplates: () => clusterTemplates.list(),
    appTemplates: () => appTemplates.list(),
    clusters: () => clusters.list(),
    helmReleases: () => helmReleases.list(),
  });
}

/** Adds the metrics of objects that are listed at each scrape. */
export function measureObjects(registry: MetricsRegistry, objects: MeasuredObjects): void {
  addMetrics(registry, clusterTemplateMetrics, objects.clusterTemplates);
  addMetrics(registry, appTemplateMetrics, objects.appTemplates);
  addMetrics(registry, clusterMetrics, objects.clusters);
  addMetrics(registry, appMetrics, objects.helmReleases);
}

/** Info metrics are gauges: Prometheus knows no other type for a series whose value is always 1. */
function addMetrics<T>(
  registry: MetricsRegistry,
  metrics: readonly Metric<T>[],
  list: () => readonly T[],
): void {
  for (const { name, help, labels: names, measure } of metrics) {
    const labels = names.toSorted();
    registry.collected("gauge", { name, help, labels }, () =>
      list().flatMap((object): readonly Sample[] =>
        measure(object).map(({ labels: values, value = 1 }) => ({
          labels: labels.map((label) => values[label] ?? ""),
          value,
        })),
      ),
    );
  }
}

function clusterPhase(
  name: string,
  help: string,
  field: "phase" | "networkingPhase" | "controlPlanePhase",
): Metric<Stored<Cluster>> {
  return ofCluster({
    ...{ name, help, labels: ["cluster_namespace", "cluster_name", "phase"] as const },
    measure: (cluster) => [
      { labels: { ...clusterLabels(cluster), phase: cluster.status?.[field] ?? "Unknown" } },
    ],
  });
}

function clusterCount(
  name: string,
  help: string,
  field: "nodeCount" | "addonCount",
): Metric<Stored<Cluster>> {
  return ofCluster({
    ...{ name, help, labels: ["cluster_namespace", "cluster_name"] as const },
    measure: (cluster) => [{ labels: clusterLabels(cluster), value: cluster.status?.[field] ?? 0 }],
  });
}

function clusterLabels({ metadata }: Stored<Cluster>) {
  return { cluster_namespace: metadata.namespace, cluster_name: metadata.name };
}

function nodesOf({ status }: Stored<Cluster>): readonly (readonly [string, NodeStatus])[] {
  return Object.entries(status?.nodes ?? {});
}

function nodeLabels(cluster: Stored<Cluster>, name: string, { role, nodeGroup }: NodeStatus) {
  return { ...clusterLabels(cluster), node: name, role: role ?? "Unknown", group: nodeGroup ?? "" };
}

function addonsOf({ status }: Stored<Cluster>): readonly (readonly [string, AddonStatus])[] {
  return Object.entries(status?.addons ?? {});
}

/** Each one once: Prometheus refuses all metrics if two series are the same. */
function versionsOf({ status }: Stored<AppTemplate>): readonly string[] {
  return [...new Set((status?.versions ?? []).map(({ name }) => name))];
}

/** None if the HelmRelease is no app. */
function appLabels({ metadata, spec }: Stored<HelmRelease>) {
  const template = metadata.labels?.[appTemplateLabel];
  if (template === undefined) return [];
  return [
    {
      ...{ app_namespace: metadata.namespace, app_name: metadata.name, app_template: template },
      target_cluster: spec?.clusterName ?? "",
    },
  ];
}

function secondsOf(time: string | null | undefined): number {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? 0 : Math.round(ms / 1000);
}

/** The URL of a repository may have a password, which must not be in a metric. */
function withoutPassword(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1");
}
