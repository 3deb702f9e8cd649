import { tmpdir } from "node:os";
import { find, type KubeObject, NotFoundError, type Resource } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { Secret } from "keelson/kinds/core/v1";
import { installCrds } from "keelson/object";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { kindsOf } from "../../src/kinds.ts";
import { settings } from "../../src/settings.ts";
import { LocalHelm } from "../../testing/charts.ts";
import { HelmRelease, Manifests } from "../../testing/neighbours/addons/kinds.ts";
import {
  Cluster,
  KubeadmControlPlane,
  Machine,
  MachineDeployment,
  OpenStackCluster,
  OpenStackMachine,
  OpenStackMachineTemplate,
} from "../../testing/neighbours/cluster-api/kinds.ts";
import { Kustomization } from "../../testing/neighbours/flux.ts";
import { OidcClient, Platform, Realm } from "../../testing/neighbours/identity.ts";
import { Lease } from "../../testing/neighbours/scheduling.ts";
import { Reservation, ZenithClient } from "../../testing/neighbours/zenith/tenant-operator.ts";
import { type Azimuth, startAzimuth, type Tenancy } from "../support/azimuth.ts";
import { Seen } from "../support/seen.ts";

let az: Azimuth;

beforeAll(async () => {
  az = await startAzimuth(process.env.KEELSON_LEVEL);
  const { Cluster: own } = kindsOf(settings.parse({}));
  await installCrds(az.client, [own]);
}, 120_000);
afterAll(() => az?.stop());

/** Owned objects are deleted when the garbage collector has discovered the kind of their owner. */
const patient = { timeout: 120_000 };

type Values = Readonly<Record<string, unknown>>;

const twoGroups: Values = {
  kubernetesVersion: "1.30.2",
  machineImageId: "image-1",
  cloudCredentialsSecretName: "demo-cloud-credentials",
  controlPlane: { machineFlavor: "control", machineCount: 3 },
  nodeGroups: [
    { name: "workers", machineFlavor: "small", machineCount: 2 },
    { name: "scaled", machineFlavor: "large", autoscale: true, machineCountMin: 1, machineCountMax: 3 },
  ],
};

const zenithManifests = [
  {
    apiVersion: "zenith.stackhpc.com/v1alpha1",
    kind: "Reservation",
    metadata: { name: "dashboard" },
    spec: { credentialSecretName: "dashboard-credential" },
  },
  {
    apiVersion: "zenith.stackhpc.com/v1alpha1",
    kind: "Client",
    metadata: { name: "dashboard" },
    spec: { reservationName: "dashboard", upstream: { serviceName: "dashboard", port: 80, scheme: "http" } },
  },
]
  .map((each) => stringify(each))
  .join("---\n");

function install(tenancy: Tenancy, name: string, values: Values): Promise<string> {
  return tenancy.helm(["upgrade", name, az.charts.cluster, "--install", "--values", "-"], values);
}

/** The Machines of a Cluster, by the group or the control plane, with the versions of those that run. */
async function machines(tenancy: Tenancy): Promise<readonly string[]> {
  return (await tenancy.list(Machine))
    .map(({ metadata: { labels }, spec, status }) => {
      const group = labels?.["capi.stackhpc.com/node-group"] ?? labels?.["capi.stackhpc.com/component"];
      return `${group} ${spec.version} ${status?.phase}`;
    })
    .toSorted();
}

async function readyReason(tenancy: Tenancy, name: string): Promise<string | undefined> {
  const { status } = await tenancy.get(KubeadmControlPlane, `${name}-control-plane`);
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.status === "True" ? "Ready" : ready?.reason;
}

/** The phases of all addons of a tenancy, each once. */
async function addonPhases(tenancy: Tenancy): Promise<readonly string[]> {
  const all = [...(await tenancy.list(HelmRelease)), ...(await tenancy.list(Manifests))];
  return [...new Set(all.map(({ status }) => `${status?.phase} ${status?.revision}`))].toSorted();
}

async function isDeleted<T extends KubeObject>(
  tenancy: Tenancy,
  resource: Resource<T>,
  name: string,
): Promise<void> {
  await expect.poll(() => tenancy.find(resource, name), patient).toBeUndefined();
}

describe("the life of a cluster of Cluster API", () => {
  it("is installed, scaled, upgraded and deleted, with its machines and addons", {
    timeout: 300_000,
  }, async () => {
    const tenancy = await az.newTenancy();
    await using phases = await Seen.phases(az.client, Cluster, tenancy.key("demo"));
    await using reasons = await Seen.of(
      az.client,
      KubeadmControlPlane,
      tenancy.key("demo-control-plane"),
      ({ status }) => {
        const ready = status?.conditions?.find(({ type }) => type === "Ready");
        return ready?.status === "True" ? "Ready" : ready?.reason;
      },
    );
    await install(tenancy, "demo", twoGroups);
    await expect.poll(() => readyReason(tenancy, "demo")).toBe("Ready");
    const control = Array.from({ length: 3 }, () => "control-plane v1.30.2 Running");
    const workers = ["workers v1.30.2 Running", "workers v1.30.2 Running"];
    await expect.poll(() => machines(tenancy)).toEqual([...control, "scaled v1.30.2 Running", ...workers]);
    await expect.poll(() => addonPhases(tenancy)).toEqual(["Deployed 1"]);
    await expect.poll(() => phases.values).toEqual(["Pending", "Provisioning", "Provisioned"]);
    await expect
      .poll(() => reasons.values.slice(-3))
      .toEqual(["WaitingForKubeadmInit", "ScalingUp", "Ready"]);
    const { status } = await tenancy.get(KubeadmControlPlane, "demo-control-plane");
    expect(status).toMatchObject({ version: "v1.30.2", readyReplicas: 3, initialized: true });
    await knowsItsMachines(tenancy);

    const scaled = {
      ...twoGroups,
      nodeGroups: [{ name: "workers", machineFlavor: "small", machineCount: 1 }],
    };
    await install(tenancy, "demo", scaled);
    await expect.poll(() => machines(tenancy)).toEqual([...control, "workers v1.30.2 Running"]);
    await isDeleted(tenancy, MachineDeployment, "demo-scaled");

    const before = reasons.values.length;
    await install(tenancy, "demo", { ...scaled, kubernetesVersion: "1.31.0" });
    const upgraded = Array.from({ length: 3 }, () => "control-plane v1.31.0 Running");
    await expect.poll(() => machines(tenancy)).toEqual([...upgraded, "workers v1.31.0 Running"]);
    await expect.poll(() => readyReason(tenancy, "demo")).toBe("Ready");
    await expect.poll(() => reasons.values.slice(before)).toEqual(["RollingUpdateInProgress", "Ready"]);

    await tenancy.helm(["uninstall", "demo"]);
    await isDeleted(tenancy, Cluster, "demo");
    await expect.poll(() => phases.values.slice(3)).toEqual(["Deleting"]);
    await isDeleted(tenancy, KubeadmControlPlane, "demo-control-plane");
    await isDeleted(tenancy, OpenStackCluster, "demo");
    await isDeleted(tenancy, Secret, "demo-kubeconfig");
    await expect.poll(async () => (await tenancy.list(OpenStackMachine)).length, patient).toBe(0);
    await expect.poll(async () => (await tenancy.list(HelmRelease)).length, patient).toBe(0);
    await expect.poll(async () => (await tenancy.list(OpenStackMachineTemplate)).length, patient).toBe(0);
  });

  it("replaces the machines of a group whose flavor changes, and counts the revisions of addons", async () => {
    const tenancy = await az.newTenancy();
    const small = { ...twoGroups, controlPlane: { machineFlavor: "control", machineCount: 1 } };
    const groups = (machineFlavor: string): Values => ({
      nodeGroups: [{ name: "workers", machineFlavor, machineCount: 2 }],
    });
    await install(tenancy, "demo", { ...small, ...groups("small") });
    const flavors = async (): Promise<readonly string[]> =>
      (await tenancy.list(OpenStackMachine)).map(({ spec }) => spec.flavor).toSorted();
    await expect.poll(flavors).toEqual(["control", "small", "small"]);
    await expect.poll(() => addonPhases(tenancy)).toEqual(["Deployed 1"]);
    const before = (await tenancy.list(Machine)).map(({ metadata }) => metadata.name);
    const ingress = { addons: { ingress: { enabled: true } } };
    await install(tenancy, "demo", { ...small, ...groups("large"), ...ingress });
    await expect.poll(flavors).toEqual(["control", "large", "large"]);
    await expect
      .poll(async () => (await tenancy.get(HelmRelease, "demo-ingress-nginx")).status?.phase)
      .toBe("Deployed");
    const kept = (await tenancy.list(Machine)).filter(({ metadata }) => before.includes(metadata.name));
    expect(kept.map(({ metadata }) => metadata.labels?.["capi.stackhpc.com/component"])).toEqual([
      "control-plane",
    ]);
    const values = {
      addons: { ingress: { enabled: true, nginx: { release: { values: { replicas: 2 } } } } },
    };
    await install(tenancy, "demo", { ...small, ...groups("large"), ...values });
    await expect
      .poll(async () => (await tenancy.get(HelmRelease, "demo-ingress-nginx")).status)
      .toMatchObject({ phase: "Deployed", revision: 2 });
  });

  it("can be held in each phase, be unhealthy and fail", async () => {
    const tenancy = await az.newTenancy();
    const { namespace } = tenancy;
    const { clusterApi, addons } = az.neighbours;
    const phase = async (): Promise<string | undefined> =>
      (await tenancy.find(Cluster, "demo"))?.status?.phase;
    clusterApi.set({ networkMs: Number.POSITIVE_INFINITY }, namespace);
    addons.set({ failing: ["metrics-server"] }, namespace);
    const one = { ...twoGroups, controlPlane: { machineFlavor: "control", machineCount: 1 } };
    await install(tenancy, "demo", one);
    await expect.poll(phase).toBe("Provisioning");
    expect(await readyReason(tenancy, "demo")).toBe("WaitingForInfrastructure");
    expect(await tenancy.find(Secret, "demo-kubeconfig")).toBeUndefined();
    clusterApi.set({ networkMs: 0 }, namespace);
    await expect.poll(() => readyReason(tenancy, "demo")).toBe("Ready");
    await expect
      .poll(async () => (await tenancy.get(HelmRelease, "demo-metrics-server")).status?.phase)
      .toBe("Failed");
    clusterApi.set(
      { clusterPhase: "Updating", machinePhase: "Weird", unhealthyNodes: ["control-plane"] },
      namespace,
    );
    await expect.poll(phase).toBe("Updating");
    const seen = async (): Promise<readonly string[]> =>
      (await tenancy.list(Machine)).flatMap(({ status }) => {
        const health = status?.conditions?.find(({ type }) => type === "NodeHealthy");
        return [`${status?.phase} ${health?.status}`];
      });
    await expect.poll(async () => new Set(await seen())).toEqual(new Set(["Weird False", "Weird True"]));
    clusterApi.set({ hasHealthyComponents: false, controlPlaneProblem: "Odd" }, namespace);
    await expect.poll(() => readyReason(tenancy, "demo")).toBe("Odd");
    addons.set({ failing: [] }, namespace);
    await expect
      .poll(async () => (await tenancy.get(HelmRelease, "demo-metrics-server")).status?.phase)
      .toBe("Deployed");
  });

  /** Labels of templates, flavors, addresses, and a kubeconfig with which the tenant cluster can be read. */
  async function knowsItsMachines(tenancy: Tenancy): Promise<void> {
    const all = await tenancy.list(Machine);
    const addresses = all.flatMap(({ status }) => status?.addresses ?? []).map(({ address }) => address);
    expect(new Set(addresses).size).toBe(6);
    for (const { metadata, spec } of all) {
      expect(metadata.labels).toMatchObject({
        "capi.stackhpc.com/cluster": "demo",
        "cluster.x-k8s.io/cluster-name": "demo",
      });
      const { spec: infrastructure } = await tenancy.get(OpenStackMachine, spec.infrastructureRef.name);
      const isControlPlane = metadata.labels?.["capi.stackhpc.com/component"] === "control-plane";
      const groups: Readonly<Record<string, string>> = { workers: "small", scaled: "large" };
      const group = metadata.labels?.["capi.stackhpc.com/node-group"] ?? "";
      expect(infrastructure.flavor).toBe(isControlPlane ? "control" : groups[group]);
    }
    const secret = await tenancy.get(Secret, "demo-kubeconfig");
    expect(secret).toMatchObject({
      type: "cluster.x-k8s.io/secret",
      metadata: { labels: { "cluster.x-k8s.io/cluster-name": "demo" } },
    });
    az.neighbours.rotateKubeconfig(tenancy.key("demo"));
    await expect
      .poll(async () => (await tenancy.get(Secret, "demo-kubeconfig")).data?.value)
      .not.toBe(secret.data?.value);
  }
});

describe("addons in a tenant cluster", () => {
  it("become objects there, with the annotations of Helm, once Zenith has brought its kinds", async () => {
    const tenancy = await az.newTenancy();
    const custom = {
      kind: "Manifests",
      spec: { namespace: "dash-system", manifests: { "zenith-client.yaml": zenithManifests } },
    };
    az.neighbours.zenith.set({ startMs: Number.POSITIVE_INFINITY }, tenancy.namespace);
    const { client } = await az.tenantOf(tenancy.key("demo"));
    await install(tenancy, "demo", {
      ...{ ...twoGroups, controlPlane: { machineFlavor: "control", machineCount: 1 } },
      addons: { custom: { "dash-client": custom } },
    });
    await installZenithOperator(tenancy, "demo");
    await expect
      .poll(async () => (await tenancy.get(Manifests, "demo-dash-client")).status?.phase)
      .toBe("Installing");
    az.neighbours.zenith.set({ startMs: 0 }, tenancy.namespace);
    await expect
      .poll(async () => (await tenancy.get(Manifests, "demo-dash-client")).status?.phase)
      .toBe("Deployed");
    const key = { namespace: "dash-system", name: "dashboard" };
    await expect.poll(async () => (await find(client, Reservation, key))?.status?.phase).toBe("Ready");
    const reservation = await client.get(Reservation, key);
    expect(reservation.metadata.annotations).toEqual({
      "meta.helm.sh/release-name": "dash-client",
      "meta.helm.sh/release-namespace": "dash-system",
    });
    const { subdomain = "", fqdn = "" } = reservation.status ?? {};
    expect(fqdn).toBe(`${subdomain}.zenith.example.com`);
    await expect.poll(async () => (await client.get(ZenithClient, key)).status?.phase).toBe("Available");
    expect((await tenancy.get(Manifests, "demo-dash-client")).metadata.labels).toMatchObject({
      "addons.stackhpc.com/cluster": "demo",
      "addons.stackhpc.com/release-namespace": "dash-system",
      "addons.stackhpc.com/release-name": "dash-client",
    });
    await az.client.delete(Manifests, tenancy.key("demo-dash-client"));
    await isDeleted(tenancy, Manifests, "demo-dash-client");
    expect(await find(client, Reservation, key)).toBeUndefined();
  });

  it("are rendered from the charts of apps, which bring services of their own", {
    timeout: 120_000,
  }, async () => {
    const tenancy = await az.newTenancy();
    const { client } = await az.tenantOf(tenancy.key("demo"));
    const { url } = await az.neighbours.chartRepository();
    await install(tenancy, "demo", { ...twoGroups, nodeGroups: [], addons: { enabled: false } });
    await installZenithOperator(tenancy, "demo");
    await az.client.create(HelmRelease, {
      metadata: { ...tenancy.key("notes"), labels: { "azimuth.stackhpc.com/app-template": "notebook" } },
      spec: {
        ...{ clusterName: "demo", targetNamespace: "notes", releaseName: "notes" },
        chart: { repo: url, name: "notebook", version: "1.0.0" },
        valuesSources: [{ template: "size: large" }],
      },
    });
    const key = { namespace: "notes", name: "notes" };
    await expect
      .poll(async () => (await find(client, Reservation, key).catch(() => undefined))?.status?.phase)
      .toBe("Ready");
    expect((await tenancy.get(HelmRelease, "notes")).status).toMatchObject({
      phase: "Deployed",
      revision: 1,
    });
  });

  /** As the operator applies it. */
  async function installZenithOperator(tenancy: Tenancy, cluster: string): Promise<void> {
    const values = {
      kubeconfigSecret: { name: `${cluster}-kubeconfig` },
      config: { registrarAdminUrl: az.neighbours.registrar.url },
    };
    await tenancy.helm(
      ["upgrade", `${cluster}-zenith-operator`, az.charts.zenithOperator, "--install", "-f", "-"],
      values,
    );
    expect(await tenancy.find(Deployment, `${cluster}-zenith-operator`)).toBeDefined();
  }
});

describe("the chart of clusters", () => {
  it("cannot be rendered without a flavor", async () => {
    const tenancy = await az.newTenancy();
    const { controlPlane: _, ...rest } = twoGroups;
    await expect(install(tenancy, "demo", rest)).rejects.toThrow("a machineFlavor is required");
  });
});

describe("the identity operator", () => {
  it("waits for the Realm, and gives Platforms groups for their services", async () => {
    const { identity } = az.neighbours;
    const tenancy = await az.newTenancy({ hasRealm: false });
    const { namespace } = tenancy;
    identity.set({ realmMs: Number.POSITIVE_INFINITY }, namespace);
    await az.neighbours.api.createTenancy(namespace);
    const realmName = namespace;
    await az.client.create(OidcClient, { metadata: tenancy.key("kube-demo"), spec: { realmName } });
    await az.client.create(Platform, { metadata: tenancy.key("kube-demo"), spec: { realmName } });
    await expect
      .poll(async () => (await tenancy.get(Platform, "kube-demo")).status)
      .toEqual({ phase: "Pending" });
    expect((await tenancy.get(Realm, namespace)).status).toEqual({ phase: "Pending" });
    await using phases = await Seen.phases(az.client, Platform, tenancy.key("kube-demo"));
    identity.set({ realmMs: 0 }, namespace);
    await expect
      .poll(async () => (await tenancy.get(Platform, "kube-demo")).status?.rootGroup)
      .toBe("/kube-demo");
    expect((await tenancy.get(Realm, namespace)).status?.platformUsersGroup).toBe("/platform-users");
    await expect
      .poll(async () => (await tenancy.get(OidcClient, "kube-demo")).status)
      .toEqual({
        phase: "Ready",
        issuerUrl: `https://identity.example.com/realms/${namespace}`,
        clientId: "kube-demo",
      });
    const zenithServices = { grafana: { subdomain: "abc", fqdn: "abc.zenith.example.com" } };
    await az.client.apply(
      Platform,
      { metadata: tenancy.key("kube-demo"), spec: { realmName, zenithServices } },
      { fieldOwner: "test", force: true },
    );
    await expect
      .poll(async () => (await tenancy.get(Platform, "kube-demo")).status)
      .toMatchObject({ phase: "Ready", zenithServiceSubgroups: { grafana: "/kube-demo/grafana" } });
    await expect.poll(() => phases.values).toEqual(["Pending", "Ready", "Updating", "Ready"]);
    await az.client.delete(OidcClient, tenancy.key("kube-demo"));
    await isDeleted(tenancy, OidcClient, "kube-demo");
  });

  it("refuses a Platform whose services lack an address, as its kind is strict", async () => {
    const tenancy = await az.newTenancy();
    const spec = {
      realmName: "r",
      zenithServices: { grafana: { subdomain: "abc", domain: "abc.example.com" } },
    };
    const platform = { apiVersion: "identity.azimuth.stackhpc.com/v1alpha1", kind: "Platform" };
    expect(await tenancy.refusal({ ...platform, metadata: { name: "wrong" }, spec })).toContain("domain");
  });
});

describe("the schedule operator", () => {
  it("starts a Lease, maps its flavors, and keeps the credentials until all others have let go of it", async () => {
    const tenancy = await az.newTenancy();
    const { scheduling } = az.neighbours;
    scheduling.set({ reservedNames: { small: "reserved-1" } }, tenancy.namespace);
    const choice = { ...tenancy.key("demo"), template: "kube-1-30", lease: "later" } as const;
    await tenancy.newCluster(choice);
    await using phases = await Seen.phases(az.client, Lease, tenancy.key("kube-demo"));
    await az.neighbours.api.createLease(choice);
    await expect
      .poll(async () => (await tenancy.get(Lease, "kube-demo")).status)
      .toMatchObject({
        phase: "Active",
        sizeNameMap: { control: "control", small: "reserved-1" },
      });
    await expect.poll(() => phases.values).toEqual(["Pending", "Starting", "Active"]);
    await tenancy.kubectl(
      "patch",
      "leases.scheduling.azimuth.stackhpc.com",
      "kube-demo",
      "--type=json",
      "-p",
      addOurs,
    );
    await tenancy.deleteCluster("demo");
    await expect
      .poll(async () => (await tenancy.get(Lease, "kube-demo")).metadata.deletionTimestamp)
      .toBeDefined();
    expect(await tenancy.stateOf("demo")).toBe("Deleting");
    expect(await tenancy.find(Secret, "demo-cloud-credentials")).toBeDefined();
    const own = JSON.stringify({ metadata: { finalizers: ["scheduling.azimuth.stackhpc.com"] } });
    await tenancy.kubectl(
      "patch",
      "leases.scheduling.azimuth.stackhpc.com",
      "kube-demo",
      "--type=merge",
      "-p",
      own,
    );
    await isDeleted(tenancy, Lease, "kube-demo");
    await expect.poll(() => tenancy.stateOf("demo"), patient).toBeUndefined();
    expect(await tenancy.find(Secret, "demo-cloud-credentials")).toBeUndefined();
  });

  const addOurs = JSON.stringify([
    { op: "add", path: "/metadata/finalizers/-", value: "azimuth.stackhpc.com" },
  ]);

  it("deletes the owner of a Lease that is about to end", { timeout: 120_000 }, async () => {
    const tenancy = await az.newTenancy();
    const endsAt = new Date(Date.now() + 3_600_000);
    await tenancy.newCluster({ name: "short", template: "kube-1-30", endsAt, gracePeriod: 3_599 });
    await expect.poll(async () => (await tenancy.get(Lease, "kube-short")).status?.phase).toBe("Active");
    await expect.poll(() => tenancy.stateOf("short"), patient).toBeUndefined();
  });

  it("shows the phases that a test wants, such as an error", async () => {
    const tenancy = await az.newTenancy();
    const steps = [{ phase: "Error", forMs: Number.POSITIVE_INFINITY, errorMessage: "no such flavor" }];
    az.neighbours.scheduling.set({ steps }, tenancy.namespace);
    await tenancy.newCluster({ name: "demo", template: "kube-1-30" });
    await expect
      .poll(async () => (await tenancy.get(Lease, "kube-demo")).status)
      .toEqual({ phase: "Error", errorMessage: "no such flavor" });
  });
});

describe("the API of Azimuth", () => {
  it("writes nulls, and shows what the operator has not handled yet", async () => {
    const tenancy = await az.newTenancy();
    const cluster = await tenancy.newCluster({ name: "demo", template: "kube-1-30", lease: false });
    expect(cluster.spec).toMatchObject({
      nodeGroups: [{ name: "workers", machineSize: "small", autoscale: false, count: 2, minCount: null }],
    });
    expect(await tenancy.stateOf("demo")).toBe("Reconciling");
    await tenancy.patchCluster("demo", { addons: { ingress: null, monitoring: true } });
    const { Cluster: own } = kindsOf(settings.parse({}));
    const { spec } = await tenancy.get(own, "demo");
    expect(spec.addons).toEqual({
      dashboard: false,
      ingressControllerLoadBalancerIp: null,
      monitoring: true,
    });
    expect(spec.updatedByUsername).toBe("jane");
  });
});

describe("the registrar", () => {
  const reserve = (body: object): Promise<Response> =>
    fetch(`${az.neighbours.registrar.url}/admin/reserve`, { method: "POST", body: JSON.stringify(body) });
  const key = (text: string): string => `ssh-ed25519 ${Buffer.from(text).toString("base64")}`;

  it("reserves a subdomain for a key, and only once", async () => {
    const { registrar } = az.neighbours;
    const before = registrar.calls.length;
    expect(await (await reserve({ public_keys: [key("one")] })).json()).toMatchObject({
      subdomain: expect.stringMatching(/^[a-z][a-z0-9]+$/),
      fqdn: expect.stringMatching(/^[a-z][a-z0-9]+\.zenith\.example\.com$/),
    });
    expect((await reserve({ public_key: key("one") })).status).toBe(409);
    expect((await reserve({ public_keys: [key("two"), key("three")] })).status).toBe(422);
    expect(registrar.calls.slice(before).map(({ status }) => status)).toEqual([200, 409, 422]);
  });

  it("fails on request", async () => {
    const { registrar } = az.neighbours;
    registrar.set({ failure: 503, delayMs: 10 });
    expect((await reserve({ public_keys: [key("four")] })).status).toBe(503);
    registrar.set({ failure: undefined, delayMs: 0 });
    expect((await reserve({ public_keys: [key("four")] })).status).toBe(200);
  });
});

describe("Flux", () => {
  it("reconciles a Kustomization, which becomes ready or not", async () => {
    const tenancy = await az.newTenancy();
    await az.client.create(Kustomization, { metadata: tenancy.key("monitoring") });
    const conditions = async (): Promise<readonly string[]> =>
      ((await tenancy.get(Kustomization, "monitoring")).status?.conditions ?? []).map(
        ({ type, status, observedGeneration }) => `${type} ${status} ${observedGeneration}`,
      );
    await expect.poll(conditions).toEqual(["Ready True 1"]);
    az.neighbours.flux.set({ problem: "BuildFailed" }, tenancy.namespace);
    await expect.poll(conditions).toEqual(["Ready False 1"]);
    await az.neighbours.stop("flux");
    az.neighbours.flux.set({ problem: undefined }, tenancy.namespace);
    await az.client.create(Kustomization, { metadata: tenancy.key("later") });
    await az.neighbours.start("flux");
    await expect.poll(conditions).toEqual(["Ready True 1"]);
    await expect
      .poll(async () => (await tenancy.get(Kustomization, "later")).status?.conditions)
      .toHaveLength(1);
  });
});

describe("an environment of one's own", () => {
  it("can begin without a neighbour and its kinds, and give each Cluster an API server", async () => {
    const without = ["identity", "scheduling", "addon-provider", "zenith", "flux"] as const;
    await using other = await startAzimuth(process.env.KEELSON_LEVEL, { tenants: "each", without });
    await expect(other.client.list(Realm)).rejects.toBeInstanceOf(NotFoundError);
    const tenancies = [
      await other.newTenancy({ hasRealm: false }),
      await other.newTenancy({ hasRealm: false }),
    ] as const;
    const urls = await Promise.all(
      tenancies.map(async (tenancy) => (await other.tenantOf(tenancy.key("demo"))).cluster.url),
    );
    expect(new Set(urls).size).toBe(2);
    await other.neighbours.start("identity");
    const [first] = tenancies;
    await other.neighbours.api.createTenancy(first.namespace);
    await expect.poll(async () => (await first.get(Realm, first.namespace)).status?.phase).toBe("Ready");
  });
});

describe("Helm for tests", () => {
  it("remembers how it was called, and fails on request", async () => {
    const { executable } = az.helm;
    const program = new LocalHelm(executable, tmpdir());
    expect(await program.run(["version", "--short"])).toMatch(/^v4\./);
    await az.helm.fail("Error: etcdserver: leader changed");
    await expect(program.run(["version"])).rejects.toThrow("etcdserver");
    await az.helm.fail();
    expect((await az.helm.calls()).slice(-2)).toEqual(["version --short", "version"]);
  });
});
