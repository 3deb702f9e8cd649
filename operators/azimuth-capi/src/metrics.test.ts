import type { Stored } from "keelson";
import { MetricsRegistry } from "keelson/telemetry";
import { describe, expect, it } from "vitest";
import { labelsOfMetrics } from "../test/support/metric-labels.ts";
import type { AppTemplate } from "./api/app-template.ts";
import type { Cluster } from "./api/cluster.ts";
import type { ClusterTemplate } from "./api/cluster-template.ts";
import { appTemplateLabel } from "./api/names.ts";
import { type MeasuredObjects, measureObjects } from "./metrics.ts";
import type { HelmRelease } from "./neighbours/addons.ts";

const meta = (name: string) => ({
  ...{ name, uid: `uid-${name}`, resourceVersion: "1", creationTimestamp: "2026-11-18T10:00:00Z" },
});
const own = { apiVersion: "azimuth.stackhpc.com/v1alpha1" } as const;

const clusterTemplate = (name: string, deprecated?: boolean): Stored<ClusterTemplate> => ({
  ...{ ...own, kind: "ClusterTemplate", metadata: meta(name) },
  spec: {
    ...{ label: name, description: name, values: { kubernetesVersion: "1.31.4", machineImageId: "id" } },
    ...(deprecated !== undefined && { deprecated }),
  },
});
const appTemplate = (
  status?: AppTemplate["status"],
  repo = "https://charts.example.com",
): Stored<AppTemplate> => ({
  ...{ ...own, kind: "AppTemplate", metadata: meta("jupyter") },
  spec: { chart: { repo, name: "jupyterhub" } },
  ...(status !== undefined && { status }),
});
const cluster = (status?: Cluster["status"], name = "demo"): Stored<Cluster> => ({
  ...{ ...own, kind: "Cluster", metadata: { ...meta(name), namespace: "az-tenancy" } },
  spec: {
    ...{ label: "Demo", templateName: "kube-1-31", cloudCredentialsSecretName: "credentials" },
    controlPlaneMachineSize: "vm.small",
  },
  ...(status !== undefined && { status }),
});
const app = (parts: Pick<HelmRelease, "spec" | "status">, labels = {}): Stored<HelmRelease> => ({
  ...{ apiVersion: "addons.stackhpc.com/v1alpha1", kind: "HelmRelease" },
  metadata: { ...meta("my-notebooks"), namespace: "az-tenancy", labels },
  ...parts,
});
const ofTemplate = { [appTemplateLabel]: "jupyter" };

/** The lines of all metrics of these objects. */
function linesOf(
  objects: Partial<{ readonly [Name in keyof MeasuredObjects]: ReturnType<MeasuredObjects[Name]> }>,
) {
  const registry = new MetricsRegistry();
  measureObjects(registry, {
    clusterTemplates: () => objects.clusterTemplates ?? [],
    appTemplates: () => objects.appTemplates ?? [],
    clusters: () => objects.clusters ?? [],
    helmReleases: () => objects.helmReleases ?? [],
  });
  return registry
    .render()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
}

describe("H.2: the metrics", () => {
  it("of a ClusterTemplate show its version, and whether it is deprecated", () => {
    expect(linesOf({ clusterTemplates: [clusterTemplate("new"), clusterTemplate("old", true)] })).toEqual([
      'azimuth_kube_clustertemplate_kube_version{kube_version="1.31.4",template_name="new"} 1',
      'azimuth_kube_clustertemplate_kube_version{kube_version="1.31.4",template_name="old"} 1',
      'azimuth_kube_clustertemplate_deprecated{template_name="new"} 0',
      'azimuth_kube_clustertemplate_deprecated{template_name="old"} 1',
    ]);
  });

  it("of an AppTemplate show its chart, its versions and when they were read", () => {
    const status = {
      lastSync: "2026-11-18T10:00:00.4Z",
      versions: [{ name: "2.0.0" }, { name: "1.0.0" }, { name: "1.0.0" }],
    };
    expect(linesOf({ appTemplates: [appTemplate(status)] })).toEqual([
      'azimuth_kube_apptemplate_info{chart_name="jupyterhub",chart_repo="https://charts.example.com",template_name="jupyter"} 1',
      'azimuth_kube_apptemplate_last_sync{template_name="jupyter"} 1794996000',
      'azimuth_kube_apptemplate_latest_version{template_name="jupyter",version="2.0.0"} 1',
      'azimuth_kube_apptemplate_version{template_name="jupyter",version="2.0.0"} 1',
      'azimuth_kube_apptemplate_version{template_name="jupyter",version="1.0.0"} 1',
    ]);
  });

  it.each([undefined, {}, { lastSync: null, versions: [] }, { lastSync: "never" }])(
    "of an AppTemplate that was never read show 0: %o",
    (status) => {
      expect(linesOf({ appTemplates: [appTemplate(status)] }).slice(1)).toEqual([
        'azimuth_kube_apptemplate_last_sync{template_name="jupyter"} 0',
        'azimuth_kube_apptemplate_latest_version{template_name="jupyter",version="0.0.0"} 1',
      ]);
    },
  );

  it("do not show the password of a repository", () => {
    const repo = "https://user:hunter2@charts.example.com/a@b";
    const chart = { repo, name: "jupyterhub" };
    const lines = linesOf({
      appTemplates: [appTemplate({}, repo)],
      helmReleases: [app({ spec: { chart } }, ofTemplate)],
    });
    expect(lines.join("\n").match(/chart_repo="[^"]*"/g)).toEqual([
      ...['chart_repo="https://charts.example.com/a@b"', 'chart_repo="https://charts.example.com/a@b"'],
    ]);
  });

  it("of a Cluster show its phases, and those of its nodes and addons", () => {
    const common = 'cluster_name="demo",cluster_namespace="az-tenancy"';
    const status = {
      ...({ phase: "Ready", networkingPhase: "Provisioned", controlPlanePhase: "Unhealthy" } as const),
      ...{ kubernetesVersion: "1.31.4", nodeCount: 2, addonCount: 1 },
      nodes: {
        "demo-md-0": { role: "worker", phase: "Ready", nodeGroup: "md-0", kubeletVersion: "1.31.4" } as const,
        "demo-odd": {},
      },
      addons: { "cni-calico": { phase: "Deployed" } as const, odd: {} },
    };
    expect(linesOf({ clusters: [cluster(status)] })).toEqual([
      `azimuth_kube_cluster_template{${common},template="kube-1-31"} 1`,
      `azimuth_kube_cluster_kube_version{${common},kube_version="1.31.4"} 1`,
      `azimuth_kube_cluster_phase{${common},phase="Ready"} 1`,
      `azimuth_kube_cluster_networking_phase{${common},phase="Provisioned"} 1`,
      `azimuth_kube_cluster_control_plane_phase{${common},phase="Unhealthy"} 1`,
      `azimuth_kube_cluster_node_count{${common}} 2`,
      `azimuth_kube_cluster_node_phase{${common},group="md-0",node="demo-md-0",phase="Ready",role="worker"} 1`,
      `azimuth_kube_cluster_node_phase{${common},group="",node="demo-odd",phase="Unknown",role="Unknown"} 1`,
      `azimuth_kube_cluster_node_kubelet_version{${common},group="md-0",kubelet_version="1.31.4",node="demo-md-0",role="worker"} 1`,
      `azimuth_kube_cluster_node_kubelet_version{${common},group="",kubelet_version="",node="demo-odd",role="Unknown"} 1`,
      `azimuth_kube_cluster_addon_count{${common}} 1`,
      `azimuth_kube_cluster_addon_phase{addon="cni-calico",${common},phase="Deployed"} 1`,
      `azimuth_kube_cluster_addon_phase{addon="odd",${common},phase="Unknown"} 1`,
    ]);
  });

  it("of a Cluster without a status show Unknown and 0", () => {
    const common = 'cluster_name="demo",cluster_namespace="az-tenancy"';
    expect(linesOf({ clusters: [cluster()] })).toEqual([
      `azimuth_kube_cluster_template{${common},template="kube-1-31"} 1`,
      `azimuth_kube_cluster_kube_version{${common},kube_version=""} 1`,
      `azimuth_kube_cluster_phase{${common},phase="Unknown"} 1`,
      `azimuth_kube_cluster_networking_phase{${common},phase="Unknown"} 1`,
      `azimuth_kube_cluster_control_plane_phase{${common},phase="Unknown"} 1`,
      `azimuth_kube_cluster_node_count{${common}} 0`,
      `azimuth_kube_cluster_addon_count{${common}} 0`,
    ]);
  });

  it("of an app show its chart, where it is installed and its phase", () => {
    const spec = {
      ...{ clusterName: "demo", targetNamespace: "notebooks", releaseName: "hub" },
      chart: { repo: "https://charts.example.com", name: "jupyterhub", version: "2.0.0" },
    };
    const common = 'app_name="my-notebooks",app_namespace="az-tenancy",app_template="jupyter"';
    const chart = 'chart_name="jupyterhub",chart_repo="https://charts.example.com",chart_version="2.0.0"';
    expect(linesOf({ helmReleases: [app({ spec, status: { phase: "Deployed" } }, ofTemplate)] })).toEqual([
      `azimuth_kube_app_info{${common},${chart},release_name="hub",target_cluster="demo",target_namespace="notebooks"} 1`,
      `azimuth_kube_app_phase{${common},phase="Deployed",target_cluster="demo"} 1`,
    ]);
  });

  it("of an app that says little have the name of its release, and Unknown", () => {
    const common = 'app_name="my-notebooks",app_namespace="az-tenancy",app_template="jupyter"';
    expect(linesOf({ helmReleases: [app({}, ofTemplate)] })).toEqual([
      `azimuth_kube_app_info{${common},chart_name="",chart_repo="",chart_version="",release_name="my-notebooks",target_cluster="",target_namespace=""} 1`,
      `azimuth_kube_app_phase{${common},phase="Unknown",target_cluster=""} 1`,
    ]);
  });

  it("leave out HelmReleases that are no apps", () => {
    expect(linesOf({ helmReleases: [app({ status: { phase: "Failed" } })] })).toEqual([]);
  });

  it("are those of the objects at the time of the scrape", () => {
    const registry = new MetricsRegistry();
    let clusters = [cluster(), cluster({ phase: "Ready" }, "other")];
    const none = () => [];
    measureObjects(registry, {
      clusters: () => clusters,
      clusterTemplates: none,
      appTemplates: none,
      helmReleases: none,
    });
    expect(registry.render().match(/azimuth_kube_cluster_phase\{.*/g)).toHaveLength(2);
    clusters = [cluster({ phase: "Failed" })];
    expect(registry.render().match(/azimuth_kube_cluster_phase\{.*/g)).toEqual([
      'azimuth_kube_cluster_phase{cluster_name="demo",cluster_namespace="az-tenancy",phase="Failed"} 1',
    ]);
    clusters = [];
    expect(registry.render()).toBe("");
  });

  it("are all gauges, with the labels that are said of them", () => {
    const registry = new MetricsRegistry();
    measureObjects(registry, {
      clusterTemplates: () => [clusterTemplate("new")],
      appTemplates: () => [appTemplate({ versions: [{ name: "1.0.0" }] })],
      clusters: () => [cluster({ nodes: { a: {} }, addons: { b: {} } })],
      helmReleases: () => [app({}, ofTemplate)],
    });
    const text = registry.render();
    const metricLabels = labelsOfMetrics();
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]);
    expect(types).toEqual(Object.keys(metricLabels).map((name) => [name, "gauge"]));
    const shown = [...text.matchAll(/^(\w+)\{(.*)\} \S+$/gm)].map(([, name = "", labels = ""]) => [
      name,
      [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label),
    ]);
    expect(shown).toEqual(Object.entries(metricLabels).map(([name, labels]) => [name, labels.toSorted()]));
  });
});
