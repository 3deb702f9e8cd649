import { mergePatch } from "keelson";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { servicesAnnotation } from "../../src/api/names.ts";
import { HelmRelease, Manifests } from "../../testing/neighbours/addons/kinds.ts";
import { Platform } from "../../testing/neighbours/identity.ts";
import { Reservation } from "../../testing/neighbours/zenith/tenant-operator.ts";
import { type Azimuth, startAzimuth, type Tenancy } from "../support/azimuth.ts";
import { clusterOf, isReady, prepare, provisionedReason, runFor, template } from "../support/operator.ts";

let az: Azimuth;

beforeAll(async () => {
  az = await startAzimuth(process.env.KEELSON_LEVEL, { tenants: "each" });
  await prepare(az);
}, 120_000);
afterAll(() => az?.stop());

const monitoring = "monitoring-system-kube-prometheus-stack-client";

async function services(tenancy: Tenancy): Promise<readonly string[]> {
  return Object.keys((await clusterOf(tenancy)).status?.services ?? {});
}

async function servicesOfPlatform(tenancy: Tenancy, name: string): Promise<readonly string[] | undefined> {
  const platform = await tenancy.find(Platform, name);
  return platform && Object.keys(platform.spec.zenithServices ?? {});
}

/** A Cluster with monitoring, whose service is shown everywhere. */
async function createMonitored(tenancy: Tenancy): Promise<void> {
  await tenancy.newCluster({ name: "demo", template, addons: { monitoring: true } });
  await isReady(tenancy);
  await expect.poll(() => services(tenancy)).toEqual([monitoring]);
  await expect.poll(() => servicesOfPlatform(tenancy, "kube-demo")).toEqual([monitoring]);
}

/** Deploys the app `notebook` to a Cluster, as the API of Azimuth does. */
async function deployApp(tenancy: Tenancy): Promise<void> {
  const { url: repo } = await az.neighbours.chartRepository();
  await az.client.create(HelmRelease, {
    metadata: {
      namespace: tenancy.namespace,
      name: "notes",
      labels: { "azimuth.stackhpc.com/app-template": "notebook" },
    },
    spec: {
      clusterName: "demo",
      targetNamespace: "notes",
      releaseName: "notes",
      chart: { repo, name: "notebook", version: "1.0.0" },
    },
  });
}

describe("the services of a Cluster", { timeout: 180_000 }, () => {
  it("J.5.16: follow the Reservations of the tenant cluster: added, changed, not ready, deleted", async () => {
    const tenancy = await az.newTenancy();
    await using _ = await runFor(az, tenancy);
    await createMonitored(tenancy);
    const { client } = await az.tenantOf(tenancy.key("demo"));
    const key = { namespace: "monitoring-system", name: "kube-prometheus-stack-client" };
    const label = { metadata: { annotations: { "azimuth.stackhpc.com/service-label": "Graphs" } } };
    await client.patch(Reservation, key, mergePatch(label));
    await expect
      .poll(async () => (await clusterOf(tenancy)).status?.services?.[monitoring]?.label)
      .toBe("Graphs");
    // L2: one that is not ready any more is no service.
    az.neighbours.zenith.set({ reservationMs: Number.POSITIVE_INFINITY }, tenancy.namespace);
    await client.status(Reservation).patch(key, mergePatch({ status: { phase: "Failed" } }));
    await expect.poll(() => services(tenancy)).toEqual([]);
    await expect.poll(() => servicesOfPlatform(tenancy, "kube-demo")).toEqual([]);
    const addon = async (): Promise<string | undefined> =>
      (await tenancy.get(Manifests, "demo-kube-prometheus-stack-client")).metadata.annotations?.[
        servicesAnnotation
      ];
    await expect.poll(addon).toBeUndefined();
    await client.status(Reservation).patch(key, mergePatch({ status: { phase: "Ready" } }));
    await expect.poll(() => services(tenancy)).toEqual([monitoring]);
    await client.delete(Reservation, key);
    await expect.poll(() => services(tenancy)).toEqual([]);
  });

  it("stay while the tenant cluster is down, and follow again when it is back with another kubeconfig", async () => {
    const tenancy = await az.newTenancy();
    await using operator = await runFor(az, tenancy);
    await createMonitored(tenancy);
    const { cluster, client } = await az.tenantOf(tenancy.key("demo"));
    await cluster.kill("kube-apiserver");
    await tenancy.patchCluster("demo", { nodeGroups: [] });
    await isReady(tenancy);
    await operator.idle();
    expect(await services(tenancy)).toEqual([monitoring]);
    await cluster.restart("kube-apiserver");
    az.neighbours.rotateKubeconfig(tenancy.key("demo"));
    await client.delete(Reservation, {
      namespace: "monitoring-system",
      name: "kube-prometheus-stack-client",
    });
    await expect.poll(() => services(tenancy), { timeout: 60_000 }).toEqual([]);
  });

  it("L5: follow also while a change of the spec cannot be made", async () => {
    const tenancy = await az.newTenancy();
    await using _ = await runFor(az, tenancy);
    await createMonitored(tenancy);
    await tenancy.patchCluster("demo", { templateName: "none" });
    await expect.poll(() => provisionedReason(tenancy)).toBe("TemplateNotFound");
    const { client } = await az.tenantOf(tenancy.key("demo"));
    await client.delete(Reservation, {
      namespace: "monitoring-system",
      name: "kube-prometheus-stack-client",
    });
    await expect.poll(() => services(tenancy)).toEqual([]);
    await expect.poll(() => servicesOfPlatform(tenancy, "kube-demo")).toEqual([]);
  });

  it("J.5.17, L1: of an app are in the annotation of its HelmRelease and its own Platform alone", async () => {
    const tenancy = await az.newTenancy();
    await using _ = await runFor(az, tenancy);
    await createMonitored(tenancy);
    await deployApp(tenancy);
    await expect
      .poll(() => servicesOfPlatform(tenancy, "kubeapp-notes"), { timeout: 60_000 })
      .toEqual(["notes"]);
    const release = await tenancy.get(HelmRelease, "notes");
    expect(JSON.parse(release.metadata.annotations?.[servicesAnnotation] ?? "")).toMatchObject({
      notes: { label: "Notebooks", iconUrl: "https://icons.example.com/notebook.png" },
    });
    expect((await tenancy.get(Platform, "kubeapp-notes")).metadata.ownerReferences).toMatchObject([
      { kind: "HelmRelease", name: "notes", controller: true },
    ]);
    expect(await services(tenancy)).toEqual([monitoring]);
    const { client } = await az.tenantOf(tenancy.key("demo"));
    await client.delete(Reservation, { namespace: "notes", name: "notes" });
    await expect.poll(() => servicesOfPlatform(tenancy, "kubeapp-notes")).toEqual([]);
    expect(await services(tenancy)).toEqual([monitoring]);
    await tenancy.kubectl("delete", "helmreleases.addons.stackhpc.com", "notes", "--wait=false");
    await expect.poll(() => tenancy.find(Platform, "kubeapp-notes")).toBeUndefined();
  });
});
