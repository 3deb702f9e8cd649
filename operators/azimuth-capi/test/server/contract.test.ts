import {
  type ContractCase,
  type ContractScenario,
  operatorContract,
  runOperator,
  type ScenarioWorld,
  type SpecEdits,
  secondPass,
} from "@keelson/testkit";
import { deepEqual, type KubeObject, type Resource } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { Secret } from "keelson/kinds/core/v1";
import { isRecord } from "keelson/low-level";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { azimuthCapi } from "../../src/operator.ts";
import { HelmRelease, Manifests } from "../../testing/neighbours/addons/kinds.ts";
import {
  Cluster as CapiCluster,
  KubeadmControlPlane,
  Machine,
  MachineDeployment,
  OpenStackCluster,
  OpenStackMachineTemplate,
} from "../../testing/neighbours/cluster-api/kinds.ts";
import { OidcClient, Platform, Realm } from "../../testing/neighbours/identity.ts";
import { Lease } from "../../testing/neighbours/scheduling.ts";
import { type Azimuth, startAzimuth, type Tenancy } from "../support/azimuth.ts";
import { helmCalls, kinds, nextTemplate, prepare, smallTemplate as template } from "../support/operator.ts";

let az: Azimuth;

beforeAll(async () => {
  az = await startAzimuth(process.env.KEELSON_LEVEL, { tenants: "each" });
  await prepare(az);
}, 120_000);
afterAll(() => az?.stop());

const tenancyOf = ({ namespace }: ScenarioWorld): Tenancy => az.tenancyIn(namespace);

const name = "demo";
const lastHandled = "azimuth.stackhpc.com/last-handled-configuration";
const workers = (count: number) => ({ name: "workers", machineSize: "small", autoscale: false, count });

/** A Cluster with OIDC, a Lease, Zenith and monitoring. */
async function create(scenario: ScenarioWorld): Promise<void> {
  const tenancy = tenancyOf(scenario);
  await az.neighbours.api.createTenancy(tenancy.namespace);
  await tenancy.newCluster({ name, template, nodeGroups: [workers(1)], addons: { monitoring: true } });
}

/** As the API of Azimuth does it. */
async function deployApp({ namespace }: ScenarioWorld): Promise<void> {
  const labels = { "azimuth.stackhpc.com/app-template": "notebook" };
  const chart = { repo: "https://apps.example.com", name: "notebook", version: "1.0.0" };
  const spec = { clusterName: name, targetNamespace: "notes", releaseName: "notes", chart };
  await az.client.create(HelmRelease, { metadata: { namespace, name: "notes", labels }, spec });
}

/** Whether it is ready with so many nodes and addons, and its services are shown wherever they should be. */
async function isReady(scenario: ScenarioWorld, nodes: number, addons: number): Promise<boolean> {
  const tenancy = tenancyOf(scenario);
  const { status = {} } = await tenancy.get(kinds.Cluster, name);
  const isComplete = status.nodeCount === nodes && status.addonCount === addons;
  const platform = await tenancy.get(Platform, `kube-${name}`);
  const services = [status.services, platform.spec.zenithServices].map((each) => Object.keys(each ?? {}));
  const areShown = services.every(({ length }) => length === 1);
  return (await tenancy.stateOf(name)) === "Ready" && isComplete && areShown;
}

/** What a Cluster has come to, without the names of its machines and the keys and addresses that were drawn for it. */
async function outcome(scenario: ScenarioWorld): Promise<unknown> {
  const tenancy = tenancyOf(scenario);
  const { metadata, spec, status = {} } = await tenancy.get(kinds.Cluster, name);
  const { nodes = {}, addons, services = {}, conditions = [], ...summary } = status;
  const { annotations = {}, labels } = metadata;
  const handled: unknown = JSON.parse(annotations[lastHandled] ?? "{}");
  const machines = Object.values(nodes).map((node) => [node.role, node.phase, node.size, node.nodeGroup]);
  return {
    ...{ summary, addons, labels, services: Object.keys(services), isHandled: deepEqual(handled, { spec }) },
    conditions: conditions.map(({ type, status: value, reason }) => [type, value, reason]),
    nodes: machines.map((each) => each.join(" ")).toSorted(),
    owned: {
      leases: await owned(tenancy, Lease),
      clients: await owned(tenancy, OidcClient),
      platforms: await owned(tenancy, Platform),
      deployments: await owned(tenancy, Deployment),
    },
    release: await revisions(tenancy),
    reservation: await reservation(tenancy),
  };
}

/** What the operator decides of objects that belong to a Cluster. */
async function owned<T extends KubeObject>(
  tenancy: Tenancy,
  kind: Resource<T>,
): Promise<readonly (readonly unknown[])[]> {
  return (await tenancy.list(kind)).map(({ metadata }) => {
    const { ownerReferences = [], finalizers = [], generation, labels } = metadata;
    const owners = ownerReferences.map((owner) => `${owner.kind} ${owner.name}`);
    return [metadata.name, owners, finalizers.toSorted(), generation, labels];
  });
}

/** The revisions of the Helm release. */
async function revisions({ namespace }: Tenancy): Promise<readonly string[]> {
  const { items } = await az.client.list(Secret, { namespace, labelSelector: `owner=helm,name=${name}` });
  return items.map(({ metadata: { labels } }) => `${labels?.version} ${labels?.status}`).toSorted();
}

/** Whether the API server has the address that was reserved for the keys of the Cluster, and how that was done. */
async function reservation(tenancy: Tenancy): Promise<unknown> {
  const { metadata, data = {} } = await tenancy.get(Secret, `${name}-zenith-apiserver`);
  const { spec } = await tenancy.get(OpenStackCluster, name);
  const publicKey = Buffer.from(data["id_ed25519.pub"] ?? "", "base64").toString();
  const calls = az.neighbours.registrar.calls.filter((call) => call.publicKey === publicKey);
  return {
    isInUse: spec.controlPlaneEndpoint?.host === metadata.annotations?.["azimuth.stackhpc.com/zenith-fqdn"],
    responses: calls.map(({ status }) => status),
  };
}

/** What a Cluster leaves behind in its namespace. */
async function remains(scenario: ScenarioWorld): Promise<readonly string[]> {
  const tenancy = tenancyOf(scenario);
  const all: readonly Resource[] = [
    ...[kinds.Cluster, OidcClient, Platform, Lease, Deployment, HelmRelease, Manifests, CapiCluster, Machine],
    ...[KubeadmControlPlane, MachineDeployment, OpenStackCluster, OpenStackMachineTemplate, Secret],
  ];
  const lists = await Promise.all(
    all.map(async (kind) =>
      (await tenancy.list(kind)).map(({ metadata }) => `${kind.plural}/${metadata.name}`),
    ),
  );
  return lists.flat();
}

const required = { label: "edited", controlPlaneMachineSize: "control", templateName: template };
const credentials = { cloudCredentialsSecretName: "edited-cloud-credentials" };

/** Edits that together change every field: what Helm has installed for an earlier spec goes with it. */
const specEdits: SpecEdits = {
  resource: kinds.Cluster,
  owned: [
    OidcClient,
    Platform,
    HelmRelease,
    Manifests,
    KubeadmControlPlane,
    MachineDeployment,
    OpenStackCluster,
  ],
  specs: {
    "a group": { ...required, ...credentials, nodeGroups: [workers(1)] },
    "nothing but what is required": { ...required, ...credentials, templateName: nextTemplate },
    everything: {
      ...{ ...required, label: "other", controlPlaneMachineSize: "large", autohealing: false },
      ...{ cloudCredentialsSecretName: "other", zenithIdentityRealmName: "zenith" },
      nodeGroups: [{ name: "scaled", machineSize: "large", autoscale: true, minCount: 1, maxCount: 2 }],
      addons: {
        ...{ dashboard: true, ingress: true, ingressControllerLoadBalancerIp: "192.0.2.7", monitoring: true },
        ...{ monitoringAlertmanagerVolumeSize: 11, monitoringPrometheusVolumeSize: 12 },
        monitoringLokiVolumeSize: 13,
      },
      ...{ createdByUsername: "jane", createdByUserId: "1", updatedByUsername: "john", updatedByUserId: "2" },
    },
  },
  // A paused Cluster is left as it was, and the API of Azimuth gives a Cluster its Lease for ever.
  fixedFields: ["paused", "leaseName"],
  prepare: async ({ client }, { namespace }) => {
    await az.neighbours.api.createTenancy(namespace);
    await client.create(Realm, { metadata: { namespace, name: "zenith" }, spec: { tenancyId: "other" } });
    for (const secret of ["edited-cloud-credentials", "other"])
      await client.create(Secret, {
        metadata: { namespace, name: secret },
        stringData: { "clouds.yaml": "{}" },
      });
  },
  isSettled: ({ metadata: { annotations = {} }, spec, status }) => {
    const handled: unknown = JSON.parse(annotations[lastHandled] ?? "{}");
    return deepEqual(handled, { spec }) && isRecord(status) && status.phase === "Ready";
  },
};

/** Crashes take minutes on the real control plane, where they add little but the order of a deletion. */
function isChosen({ title }: ContractCase): boolean {
  const isCrash = title.startsWith("reaches the same outcome after a crash");
  return process.env.KEELSON_LEVEL !== "cluster" || !isCrash || title.includes("is deleted");
}

const once = { reservation: { isInUse: true, responses: [200] }, isHandled: true };

const scenarios: Readonly<Record<string, ContractScenario>> = {
  "a Cluster becomes ready": {
    prepare: create,
    isSettled: (scenario) => isReady(scenario, 2, 5),
    outcome,
    checkReport: ({ crashes, outcome: reached }) => {
      expect(reached).toMatchObject({ ...once, release: ["1 deployed"] });
      expect(crashes.length).toBeGreaterThan(15);
    },
  },
  "a Cluster gets a machine and an addon": {
    prepare: create,
    act: (scenario) =>
      tenancyOf(scenario).patchCluster(name, { nodeGroups: [workers(2)], addons: { ingress: true } }),
    crashFrom: "acted",
    isSettled: (scenario, stage) => {
      const added = stage === "prepared" ? 0 : 1;
      return isReady(scenario, 2 + added, 5 + added);
    },
    outcome,
    checkReport: ({ outcome: reached }) =>
      expect(reached).toMatchObject({ ...once, release: ["1 superseded", "2 deployed"] }),
  },
  "a Cluster with an app is deleted, before its parts": {
    prepare: async (scenario) => {
      await create(scenario);
      await deployApp(scenario);
    },
    act: (scenario) => tenancyOf(scenario).deleteCluster(name),
    crashFrom: "acted",
    isSettled: async (scenario, stage) => {
      if (stage === "acted") return (await remains(scenario)).length === 0;
      const app = await tenancyOf(scenario).find(Platform, "kubeapp-notes");
      return app !== undefined && isReady(scenario, 2, 5);
    },
    outcome: remains,
    checkReport: ({ crashes }) => expect(crashes.length).toBeGreaterThan(3),
  },
};

describe("the Azimuth operator", () => {
  const options = { operator: azimuthCapi, world: () => az.world, failingWrites: "platforms" };
  const cases = [
    ...operatorContract({ ...options, scenarios, operatorOptions: () => az.operatorOptions }),
    // The keys of Zenith are drawn anew for each Cluster, so that no two would be equal.
    ...operatorContract({
      ...{ ...options, scenarios: {}, specEdits: { "a Cluster": specEdits } },
      operatorOptions: () => ({ ...az.operatorOptions, settings: { ...az.settings, zenith: {} } }),
    }).filter(({ title }) => title.startsWith("leaves nothing of an earlier spec")),
  ];
  for (const { title, timeoutMs, check } of cases.filter(isChosen)) it(title, { timeout: timeoutMs }, check);

  it("runs no command of Helm when it reconciles a settled Cluster again", { timeout: 120_000 }, async () => {
    const { cluster, client } = az.world;
    const scenario = { cluster, client, namespace: await az.world.createNamespace() };
    const run = { ...az.operatorOptions, access: cluster, namespaces: [scenario.namespace] };
    await using first = await runOperator(azimuthCapi, run);
    await create(scenario);
    await expect.poll(() => isReady(scenario, 2, 5).catch(() => false), { timeout: 60_000 }).toBe(true);
    await first.idle();
    await first.stop();
    expect(await helmCalls(az, tenancyOf(scenario), "upgrade")).toBe(1);
    const calls = await az.helm.calls();
    expect(await secondPass(azimuthCapi, run)).toEqual([]);
    expect(await az.helm.calls()).toEqual(calls);
  });
});
