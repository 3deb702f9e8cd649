import { find } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { Secret } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Manifests } from "../../testing/neighbours/addons/kinds.ts";
import {
  Cluster as CapiCluster,
  KubeadmControlPlane,
  Machine,
  MachineDeployment,
} from "../../testing/neighbours/cluster-api/kinds.ts";
import { OidcClient, Platform } from "../../testing/neighbours/identity.ts";
import { Lease } from "../../testing/neighbours/scheduling.ts";
import { type Azimuth, startAzimuth, type Tenancy } from "../support/azimuth.ts";
import {
  clusterOf,
  helmCalls,
  isReady,
  kinds,
  nextTemplate,
  prepare,
  runFor,
  template,
} from "../support/operator.ts";
import { Seen } from "../support/seen.ts";

let az: Azimuth;

beforeAll(async () => {
  az = await startAzimuth(process.env.KEELSON_LEVEL);
  await prepare(az);
}, 120_000);
afterAll(() => az?.stop());

/** The names of objects of a kind. */
async function names(tenancy: Tenancy, kind: Parameters<Tenancy["list"]>[0]): Promise<readonly string[]> {
  return (await tenancy.list(kind)).map(({ metadata }) => metadata.name).toSorted();
}

describe("a Cluster", { timeout: 180_000 }, () => {
  it("J.5.1, C.12: becomes ready with identity, lease, Zenith and monitoring, and then rests", async () => {
    const tenancy = await az.newTenancy();
    await using operator = await runFor(az, tenancy);
    await tenancy.newCluster({ name: "demo", template, addons: { monitoring: true } });
    await using phases = await Seen.phases(az.client, kinds.Cluster, tenancy.key("demo"));
    const { status, metadata, spec } = await isReady(tenancy);
    expect(phases.values).toEqual(["Pending", "Reconciling", "Ready"]);
    expect(status).toMatchObject({
      ...{ leasePhase: "Active", networkingPhase: "Provisioned", controlPlanePhase: "Ready" },
      ...{ kubernetesVersion: "1.30.2", kubeconfigSecretName: "demo-kubeconfig-user", nodeCount: 5 },
      conditions: [{ type: "Provisioned", status: "True" }],
    });
    expect(status?.lastUpdated).toBeUndefined();
    expect(metadata.labels?.["azimuth.stackhpc.com/cluster-template"]).toBe(template);
    expect(
      JSON.parse(metadata.annotations?.["azimuth.stackhpc.com/last-handled-configuration"] ?? ""),
    ).toEqual({
      spec,
    });
    const service = "monitoring-system-kube-prometheus-stack-client";
    await expect
      .poll(async () => (await clusterOf(tenancy)).status?.services)
      .toMatchObject({ [service]: { label: "Monitoring", subdomain: expect.any(String) } });
    await expect
      .poll(async () => (await tenancy.get(Platform, "kube-demo")).spec.zenithServices)
      .toMatchObject({ [service]: { fqdn: expect.any(String) } });
    const { metadata: addon } = await tenancy.get(Manifests, "demo-kube-prometheus-stack-client");
    expect(JSON.parse(addon.annotations?.["azimuth.stackhpc.com/services"] ?? "")).toHaveProperty([service]);
    const owner = { kind: "Cluster", name: "demo", uid: metadata.uid };
    for (const kind of [OidcClient, Platform])
      expect((await tenancy.get(kind, "kube-demo")).metadata.ownerReferences).toMatchObject([
        { ...owner, controller: true },
      ]);
    const lease = await tenancy.get(Lease, "kube-demo");
    expect(lease.metadata.finalizers).toContain("azimuth.stackhpc.com");
    expect(lease.metadata.ownerReferences).toMatchObject([owner]);
    await expect.poll(() => tenancy.find(Deployment, "demo-zenith-operator")).toBeDefined();
    expect(await helmCalls(az, tenancy, "upgrade")).toBe(1);
    await operator.idle();
    operator.clearWrites();
    await tenancy.kubectl("annotate", "clusters.azimuth.stackhpc.com", "demo", "note=1");
    await operator.idle();
    expect(operator.writes).toEqual([]);
    expect(await helmCalls(az, tenancy, "upgrade")).toBe(1);
  });

  it("J.5.20: gives users a kubeconfig with a login and without any credentials", async () => {
    const tenancy = await az.newTenancy();
    await using _ = await runFor(az, tenancy);
    await tenancy.newCluster({ name: "demo", template });
    await isReady(tenancy);
    const text = (await az.neighbours.api.kubeconfig(tenancy.key("demo"))) ?? "";
    const kubeconfig: unknown = parse(text);
    expect(kubeconfig).toMatchObject({ users: [{ name: "oidc", user: { exec: { command: "kubectl" } } }] });
    expect(text).not.toContain("client-key-data");
    const { status } = await tenancy.get(OidcClient, "kube-demo");
    expect(text).toContain(`--oidc-issuer-url=${status?.issuerUrl}`);
    expect(text).toContain(`--oidc-client-id=${status?.clientId}`);
  });

  it.each([
    ["J.5.2: without OIDC", { identity: { oidcEnabled: false } }, {}],
    ["J.5.3: without a lease", {}, { lease: false }],
    ["J.5.4: without Zenith", { zenith: {} }, {}],
    ["L7: without node groups, with a lease", {}, { nodeGroups: [] }],
  ] as const)("%s becomes ready, too", async (_, changed, choice) => {
    const tenancy = await az.newTenancy();
    await using __ = await runFor(az, tenancy, changed);
    await tenancy.newCluster({ name: "demo", template, ...choice });
    const { status } = await isReady(tenancy);
    const hasOidc = !("identity" in changed);
    expect(status?.kubeconfigSecretName).toBe(hasOidc ? "demo-kubeconfig-user" : "demo-kubeconfig");
    expect((await tenancy.find(OidcClient, "kube-demo")) !== undefined).toBe(hasOidc);
    const hasZenith = !("zenith" in changed);
    expect((await tenancy.find(Secret, "demo-zenith-apiserver")) !== undefined).toBe(hasZenith);
    expect((await tenancy.find(Deployment, "demo-zenith-operator")) !== undefined).toBe(hasZenith);
  });

  it("J.5.8: is scaled, gets and loses groups and addons, by one upgrade for each change", async () => {
    const tenancy = await az.newTenancy();
    await using _ = await runFor(az, tenancy);
    await tenancy.newCluster({ name: "demo", template });
    await isReady(tenancy);
    const group = (name: string, count: number) => ({ name, machineSize: "small", autoscale: false, count });
    const nodeCount = async (): Promise<number | undefined> => (await clusterOf(tenancy)).status?.nodeCount;
    await tenancy.patchCluster("demo", { nodeGroups: [group("workers", 3)] });
    await expect.poll(nodeCount, { timeout: 60_000 }).toBe(6);
    await isReady(tenancy);
    const scaled = {
      name: "scaled",
      machineSize: "large",
      autoscale: true,
      minCount: 1,
      maxCount: 3,
      count: null,
    };
    await tenancy.patchCluster("demo", { nodeGroups: [scaled], addons: { ingress: true } });
    await expect.poll(() => names(tenancy, MachineDeployment)).toEqual(["demo-scaled"]);
    await expect.poll(nodeCount, { timeout: 60_000 }).toBe(4);
    const { status } = await isReady(tenancy);
    expect(Object.keys(status?.addons ?? {})).toContain("ingress-nginx");
    await tenancy.patchCluster("demo", { addons: { ingress: false } });
    await isReady(tenancy);
    await expect
      .poll(async () => Object.keys((await clusterOf(tenancy)).status?.addons ?? {}))
      .not.toContain("ingress-nginx");
    expect(await helmCalls(az, tenancy, "upgrade")).toBe(4);
  });

  it("D.6: is upgraded to another template, and shows it", async () => {
    const tenancy = await az.newTenancy();
    await using _ = await runFor(az, tenancy);
    await tenancy.newCluster({ name: "demo", template });
    await isReady(tenancy);
    await using phases = await Seen.phases(az.client, kinds.Cluster, tenancy.key("demo"));
    await tenancy.patchCluster("demo", { templateName: nextTemplate });
    await expect
      .poll(async () => (await clusterOf(tenancy)).status?.kubernetesVersion, { timeout: 60_000 })
      .toBe("1.31.0");
    const { metadata } = await isReady(tenancy);
    expect(phases.values.at(0)).toBe("Ready");
    expect(phases.values).toContain("Upgrading");
    expect(metadata.labels?.["azimuth.stackhpc.com/cluster-template"]).toBe(nextTemplate);
  });

  it("J.5.24: is not mixed up with one of the same name in another namespace", async () => {
    const [one, other] = await Promise.all([az.newTenancy(), az.newTenancy()]);
    await using _ = await runFor(az, one);
    await using __ = await runFor(az, other);
    await one.newCluster({ name: "demo", template });
    await other.newCluster({ name: "demo", template, nodeGroups: [] });
    expect((await isReady(one)).status?.nodeCount).toBe(5);
    expect((await isReady(other)).status?.nodeCount).toBe(3);
    const addresses = await Promise.all(
      [one, other].map(
        async (each) => (await each.get(Secret, "demo-zenith-apiserver")).metadata.annotations,
      ),
    );
    expect(addresses[0]).not.toEqual(addresses[1]);
  });
});

describe("a Cluster that is paused", { timeout: 180_000 }, () => {
  it("J.5.10: is not provisioned, updated or cleaned up until it is resumed", async () => {
    const tenancy = await az.newTenancy();
    await using operator = await runFor(az, tenancy);
    await tenancy.newCluster({ name: "demo", template, spec: { paused: true } });
    await expect
      .poll(async () => (await clusterOf(tenancy)).status?.conditions)
      .toMatchObject([{ reason: "Paused" }]);
    await operator.idle();
    expect(await names(tenancy, OidcClient)).toEqual([]);
    expect(await helmCalls(az, tenancy, "upgrade")).toBe(0);
    await tenancy.patchCluster("demo", { paused: false });
    await isReady(tenancy);
    await tenancy.patchCluster("demo", { paused: true, nodeGroups: [] });
    await expect.poll(() => tenancy.stateOf("demo")).toBe("Ready");
    await operator.idle();
    expect(await helmCalls(az, tenancy, "upgrade")).toBe(1);
    await tenancy.kubectl("delete", "clusters.azimuth.stackhpc.com", "demo", "--timeout=30s");
    expect(await tenancy.find(CapiCluster, "demo")).toBeDefined();
    expect(await tenancy.find(Secret, "demo-etcd-key")).toBeDefined();
    expect(await helmCalls(az, tenancy, "uninstall")).toBe(0);
  });
});

describe("a Cluster that is deleted", { timeout: 180_000 }, () => {
  it("J.5.11, C.4: goes in order, with foreground propagation: release, machines, lease, Cluster", async () => {
    const tenancy = await az.newTenancy();
    const { namespace } = tenancy;
    await using _ = await runFor(az, tenancy);
    await tenancy.newCluster({ name: "demo", template });
    await isReady(tenancy);
    az.neighbours.clusterApi.set({ deletionMs: Number.POSITIVE_INFINITY }, namespace);
    await tenancy.deleteCluster("demo");
    await expect.poll(async () => (await tenancy.find(CapiCluster, "demo"))?.status?.phase).toBe("Deleting");
    await expect.poll(async () => (await clusterOf(tenancy)).status?.phase).toBe("Deleting");
    await expect.poll(() => tenancy.find(OidcClient, "kube-demo")).toBeUndefined();
    // The machines need the credentials, which go with the lease.
    const lease = await tenancy.get(Lease, "kube-demo");
    expect(lease.metadata.deletionTimestamp).toBeDefined();
    expect(lease.metadata.finalizers).toContain("azimuth.stackhpc.com");
    expect(await tenancy.find(Secret, "demo-cloud-credentials")).toBeDefined();
    expect(await tenancy.find(Secret, "demo-etcd-key")).toBeUndefined();
    az.neighbours.clusterApi.set({ deletionMs: 30 }, namespace);
    await expect.poll(() => tenancy.find(kinds.Cluster, "demo"), { timeout: 60_000 }).toBeUndefined();
    await expect.poll(() => tenancy.find(Lease, "kube-demo")).toBeUndefined();
    expect(await names(tenancy, Machine)).toEqual([]);
    expect(await names(tenancy, KubeadmControlPlane)).toEqual([]);
    await expect.poll(() => names(tenancy, Platform)).toEqual([]);
    expect(await tenancy.find(Secret, "demo-kubeconfig-user")).toBeUndefined();
    expect(await tenancy.find(Secret, "demo-cloud-credentials")).toBeUndefined();
    expect(await helmCalls(az, tenancy, "uninstall")).toBe(1);
  });

  it("goes also if it was never provisioned", async () => {
    const tenancy = await az.newTenancy();
    await using _ = await runFor(az, tenancy);
    await tenancy.newCluster({ name: "demo", template: "none" });
    await expect
      .poll(async () => (await clusterOf(tenancy)).status?.conditions)
      .toMatchObject([{ reason: "TemplateNotFound" }]);
    await tenancy.deleteCluster("demo");
    await expect.poll(() => find(az.client, kinds.Cluster, tenancy.key("demo"))).toBeUndefined();
  });
});
