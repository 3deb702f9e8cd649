import { type RunningOperator, startWorld, type World } from "@keelson/testkit";
import { defineOperator, mergePatch, usesOf } from "keelson";
import { afterAll, beforeAll, expect, it } from "vitest";
import { appTemplateLabel } from "../../src/api/names.ts";
import { kindsOf } from "../../src/kinds.ts";
import { addAzimuthMetrics } from "../../src/metrics.ts";
import { HelmRelease } from "../../src/neighbours/addons.ts";
import { settings } from "../../src/settings.ts";
import { applyCrds } from "../../testing/crds.ts";

const kinds = kindsOf(settings.parse({}));
const { Cluster, ClusterTemplate, AppTemplate } = kinds;

/** Nothing but the metrics. */
const measuring = defineOperator({
  name: "azimuth-metrics",
  resources: [Cluster, ClusterTemplate, AppTemplate],
  uses: [Cluster, ClusterTemplate, AppTemplate, HelmRelease].flatMap((kind) =>
    usesOf(kind, ["list", "watch"]),
  ),
  setup: (manager) => addAzimuthMetrics(manager.metrics.registry, manager.cache, kinds),
});

let world: World;
let operator: RunningOperator;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  operator = await world.runOperator(measuring, { servedCheckMs: 100 });
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
});

/** The lines of metrics whose names begin like this. */
async function lines(begin: string): Promise<readonly string[]> {
  return (await operator.metrics()).split("\n").filter((line) => line.startsWith(begin));
}

it("H.2: has the metrics of Clusters from the cache, until they are deleted", async () => {
  const namespace = await world.createNamespace();
  const key = { namespace, name: "demo" };
  const spec = {
    ...{ label: "Demo", templateName: "kube", cloudCredentialsSecretName: "credentials" },
    controlPlaneMachineSize: "vm.small",
  };
  await world.client.create(Cluster, { metadata: key, spec });
  const common = `cluster_name="demo",cluster_namespace="${namespace}"`;
  const phases = (): Promise<readonly string[]> => lines("azimuth_kube_cluster_phase{");
  await expect.poll(phases).toEqual([`azimuth_kube_cluster_phase{${common},phase="Unknown"} 1`]);
  const status = { phase: "Ready", nodes: { a: { role: "worker", phase: "Ready" } } };
  await world.client.status(Cluster).patch(key, mergePatch({ status }));
  await expect.poll(phases).toEqual([`azimuth_kube_cluster_phase{${common},phase="Ready"} 1`]);
  expect(await lines("azimuth_kube_cluster_node_phase{")).toEqual([
    `azimuth_kube_cluster_node_phase{${common},group="",node="a",phase="Ready",role="worker"} 1`,
  ]);
  await world.client.delete(Cluster, key);
  await expect.poll(() => lines("azimuth_kube_cluster_")).toEqual([]);
});

it("H.2: has the metrics of apps once the addon provider is installed", async () => {
  const namespace = await world.createNamespace();
  expect(await lines("azimuth_kube_app_")).toEqual([]);
  await applyCrds(world.client, "addons");
  await world.client.create(HelmRelease, {
    metadata: { namespace, name: "hub", labels: { [appTemplateLabel]: "jupyter" } },
    spec: {
      ...{ clusterName: "demo", targetNamespace: "hub" },
      chart: { repo: "https://charts.example.com", name: "jupyterhub", version: "1.0.0" },
    },
  });
  await expect
    .poll(() => lines("azimuth_kube_app_phase"))
    .toEqual([
      `azimuth_kube_app_phase{app_name="hub",app_namespace="${namespace}",app_template="jupyter",phase="Unknown",target_cluster="demo"} 1`,
    ]);
});
