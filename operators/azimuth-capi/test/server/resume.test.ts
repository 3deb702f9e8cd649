import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { faults, faultyTransport, type RecordedRequest, type RunningOperator } from "@keelson/testkit";
import { type KubeObject, mergePatch, type Resource } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import { appliedAnnotation } from "keelson/object";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { azimuthCapi } from "../../src/operator.ts";
import { helmBinary } from "../../testing/helm-binaries.ts";
import { HelmRelease, Manifests } from "../../testing/neighbours/addons/kinds.ts";
import {
  Cluster as CapiCluster,
  KubeadmControlPlane,
  Machine,
  OpenStackCluster,
} from "../../testing/neighbours/cluster-api/kinds.ts";
import { OidcClient, Platform } from "../../testing/neighbours/identity.ts";
import { Lease } from "../../testing/neighbours/scheduling.ts";
import { type Azimuth, startAzimuth, type Tenancy } from "../support/azimuth.ts";
import { type HeldHelm, holdableHelm } from "../support/held-helm.ts";
import {
  clusterOf,
  helmCalls,
  isReady,
  kinds,
  prepare,
  provisionedReason,
  runFor,
  smallTemplate as template,
} from "../support/operator.ts";

let az: Azimuth;

beforeAll(async () => {
  az = await startAzimuth(process.env.KEELSON_LEVEL);
  await prepare(az);
}, 120_000);
afterAll(() => az?.stop());

const withoutZenith = { zenith: {} };
const workers = (count: number) => [{ name: "workers", machineSize: "small", autoscale: false, count }];

/** A Cluster that was ready when the operator was stopped, with an app. */
async function leaveReady(tenancy: Tenancy): Promise<void> {
  const { namespace } = tenancy;
  await using operator = await runFor(az, tenancy, withoutZenith);
  await tenancy.newCluster({ name: "demo", template, nodeGroups: workers(1), addons: { monitoring: true } });
  await isReady(tenancy);
  const labels = { "azimuth.stackhpc.com/app-template": "notebook" };
  const chart = { repo: "https://apps.example.com", name: "notebook", version: "1.0.0" };
  const spec = { clusterName: "demo", targetNamespace: "notes", releaseName: "notes", chart };
  await az.client.create(HelmRelease, { metadata: { namespace, name: "notes", labels }, spec });
  await expect.poll(() => tenancy.find(Platform, "kubeapp-notes")).toBeDefined();
  await operator.idle();
}

/** Deletes an object that nothing else cares for any more. */
async function vanish<T extends KubeObject>(
  tenancy: Tenancy,
  kind: Resource<T>,
  name: string,
): Promise<void> {
  const key = tenancy.key(name);
  await az.client.patch(kind, key, mergePatch({ metadata: { finalizers: null } }));
  await az.client.delete(kind, key);
  await expect.poll(() => tenancy.find(kind, name)).toBeUndefined();
}

/** The revisions of the Helm release. */
async function revisions({ namespace }: Tenancy): Promise<readonly string[]> {
  const { items } = await az.client.list(Secret, { namespace, labelSelector: "owner=helm,name=demo" });
  return items.map(({ metadata: { labels } }) => `${labels?.version} ${labels?.status}`).toSorted();
}

describe("an operator that is started again", { timeout: 180_000 }, () => {
  it("J.5.13, C.5: forgets machines, addons, the control plane and the network that went meanwhile", async () => {
    const tenancy = await az.newTenancy();
    await leaveReady(tenancy);
    const neighbours = ["cluster-api", "addon-provider", "flux"] as const;
    for (const each of neighbours) await az.neighbours.stop(each);
    try {
      const machines = (await tenancy.list(Machine)).map(({ metadata }) => metadata.name);
      const [worker = ""] = machines.filter((name) => name.includes("workers"));
      await vanish(tenancy, Machine, worker);
      await vanish(tenancy, HelmRelease, "demo-loki-stack");
      await vanish(tenancy, Manifests, "demo-oidc-default-rbac");
      {
        await using _ = await runFor(az, tenancy, withoutZenith);
        await expect
          .poll(async () => (await clusterOf(tenancy)).status)
          .toMatchObject({ phase: "Ready", nodeCount: 1, addonCount: 2, controlPlanePhase: "Ready" });
        const { nodes = {}, addons = {} } = (await clusterOf(tenancy)).status ?? {};
        expect(Object.keys(nodes)).toEqual(machines.filter((name) => name !== worker));
        expect(Object.keys(addons)).toEqual(["intel-xpu-monitoring", "kube-prometheus-stack"]);
      }
      await vanish(tenancy, KubeadmControlPlane, "demo-control-plane");
      await vanish(tenancy, CapiCluster, "demo");
      await using _ = await runFor(az, tenancy, withoutZenith);
      await expect.poll(async () => (await clusterOf(tenancy)).status?.phase).toBe("Pending");
      const { status } = await clusterOf(tenancy);
      expect(status).not.toHaveProperty("controlPlanePhase");
      expect(status).not.toHaveProperty("kubernetesVersion");
      expect(status).not.toHaveProperty("networkingPhase");
      expect(status?.lastUpdated).toBeDefined();
      expect(await helmCalls(az, tenancy, "upgrade")).toBe(1);
    } finally {
      for (const each of neighbours) await az.neighbours.start(each);
    }
  });

  it("J.5.13, R1, R2: adopts what a restored backup has without owners, and then deletes it in order", async () => {
    const tenancy = await az.newTenancy();
    const { namespace } = tenancy;
    await leaveReady(tenancy);
    const orphans: readonly (readonly [Resource, string])[] = [
      ...([OidcClient, Platform, Lease] as const).map((kind) => [kind, "kube-demo"] as const),
      [Platform, "kubeapp-notes"],
      [Secret, "demo-kubeconfig-user"],
    ];
    const owned = async (): Promise<readonly unknown[]> =>
      Promise.all(
        orphans.map(async ([kind, name]) => {
          const { ownerReferences = [] } = (await tenancy.get(kind, name)).metadata;
          return ownerReferences.map(({ controller = false, ...owner }) => ({ ...owner, controller }));
        }),
      );
    const before = await owned();
    // What the operator that this one replaces has made does not have the annotation either.
    const restored = { ownerReferences: null, annotations: { [appliedAnnotation]: null } };
    for (const [kind, name] of orphans)
      await az.client.patch(kind, { namespace, name }, mergePatch({ metadata: restored }));
    const { metadata: lease } = await tenancy.get(Lease, "kube-demo");
    const finalizers = (lease.finalizers ?? []).filter((each) => each !== "azimuth.stackhpc.com");
    await az.client.patch(Lease, tenancy.key("kube-demo"), mergePatch({ metadata: { finalizers } }));
    await using operator = await runFor(az, tenancy, withoutZenith);
    await operator.idle();
    expect(await owned()).toEqual(before);
    expect((await tenancy.get(Lease, "kube-demo")).metadata.finalizers).toContain("azimuth.stackhpc.com");
    expect(await tenancy.stateOf("demo")).toBe("Ready");
    expect(await helmCalls(az, tenancy, "upgrade")).toBe(1);
    await tenancy.deleteCluster("demo");
    await expect.poll(() => tenancy.find(kinds.Cluster, "demo"), { timeout: 60_000 }).toBeUndefined();
    for (const [kind, name] of orphans) await expect.poll(() => tenancy.find(kind, name)).toBeUndefined();
  });

  it("L20: handles a spec that changed meanwhile, once", async () => {
    const tenancy = await az.newTenancy();
    await leaveReady(tenancy);
    await tenancy.patchCluster("demo", { nodeGroups: workers(3) });
    await tenancy.patchCluster("demo", { nodeGroups: workers(2) });
    await using _ = await runFor(az, tenancy, withoutZenith);
    await expect.poll(async () => (await clusterOf(tenancy)).status?.nodeCount).toBe(3);
    await isReady(tenancy);
    expect(await revisions(tenancy)).toEqual(["1 superseded", "2 deployed"]);
    expect(await helmCalls(az, tenancy, "upgrade")).toBe(2);
  });

  it("makes no revision for a change that was taken back meanwhile, and handles it", async () => {
    const tenancy = await az.newTenancy();
    await leaveReady(tenancy);
    await tenancy.patchCluster("demo", { nodeGroups: workers(2) });
    await tenancy.patchCluster("demo", { nodeGroups: workers(1) });
    expect(await tenancy.stateOf("demo")).toBe("Reconciling");
    await using _ = await runFor(az, tenancy, withoutZenith);
    await isReady(tenancy);
    expect(await revisions(tenancy)).toEqual(["1 deployed"]);
    expect(await helmCalls(az, tenancy, "upgrade")).toBe(1);
  });

  it("deletes a Cluster whose spec does not name its lease any more", async () => {
    const tenancy = await az.newTenancy();
    await leaveReady(tenancy);
    await tenancy.patchCluster("demo", { leaseName: null });
    await tenancy.deleteCluster("demo");
    await using _ = await runFor(az, tenancy, withoutZenith);
    await expect.poll(() => tenancy.find(kinds.Cluster, "demo"), { timeout: 60_000 }).toBeUndefined();
    await expect.poll(() => tenancy.find(Lease, "kube-demo")).toBeUndefined();
  });

  it("deletes a Cluster that was deleted meanwhile", async () => {
    const tenancy = await az.newTenancy();
    await leaveReady(tenancy);
    await tenancy.deleteCluster("demo");
    await using _ = await runFor(az, tenancy, withoutZenith);
    await expect.poll(() => tenancy.find(kinds.Cluster, "demo"), { timeout: 60_000 }).toBeUndefined();
    expect(await tenancy.find(Lease, "kube-demo")).toBeUndefined();
    expect(await helmCalls(az, tenancy, "uninstall")).toBe(1);
  });
});

/** Crashes at every write are in the contract: these are the moments between a write of another program and ours. */
describe("J.5.12: an operator that is killed", { timeout: 180_000 }, () => {
  async function withHeldHelm(work: (helm: HeldHelm) => Promise<void>): Promise<void> {
    await using folder = await mkdtempDisposable(join(tmpdir(), "keelson-held-helm-"));
    const helm = await holdableHelm((await helmBinary(4)).path, folder.path);
    await work(helm);
  }

  const runWith = (tenancy: Tenancy, { executable }: HeldHelm): Promise<RunningOperator> =>
    runFor(az, tenancy, { ...withoutZenith, helmClient: { executable } });

  it.each(["before", "after"] as const)(
    "S13: %s Helm has installed the release makes one revision",
    (moment) =>
      withHeldHelm(async (helm) => {
        const tenancy = await az.newTenancy();
        await helm.hold(moment);
        await using first = await runWith(tenancy, helm);
        await tenancy.newCluster({ name: "demo", template });
        await expect.poll(() => helm.isHeld(), { timeout: 60_000 }).toBe(true);
        await first.kill();
        await helm.release();
        expect(await revisions(tenancy)).toEqual(moment === "before" ? [] : ["1 deployed"]);
        expect(await tenancy.stateOf("demo")).toBe("Reconciling");
        await using _ = await runWith(tenancy, helm);
        await isReady(tenancy);
        expect(await revisions(tenancy)).toEqual(["1 deployed"]);
      }),
  );

  it("S13: while Helm installs the release goes on from what is there", async () => {
    const tenancy = await az.newTenancy();
    await using first = await runFor(az, tenancy, withoutZenith);
    await tenancy.newCluster({ name: "demo", template });
    await expect
      .poll(async () => (await revisions(tenancy)).length, { timeout: 60_000, interval: 1 })
      .toBe(1);
    await first.kill();
    await using _ = await runFor(az, tenancy, withoutZenith);
    await isReady(tenancy);
    const all = await revisions(tenancy);
    expect(all.at(-1)).toMatch(/^[12] deployed$/);
    expect(all.filter((revision) => revision.endsWith("deployed"))).toHaveLength(1);
  });

  it("is not taken for a failure when it is stopped in order", () =>
    withHeldHelm(async (helm) => {
      const tenancy = await az.newTenancy();
      await helm.hold("before");
      await using first = await runWith(tenancy, helm);
      await tenancy.newCluster({ name: "demo", template });
      await expect.poll(() => helm.isHeld(), { timeout: 60_000 }).toBe(true);
      const reason = await provisionedReason(tenancy);
      await first.stop();
      await helm.release();
      expect(await provisionedReason(tenancy)).toBe(reason);
      expect(first.problems).toEqual([]);
      await using _ = await runWith(tenancy, helm);
      await isReady(tenancy);
    }));

  it("L13, S12: between the reservation and its record has one reservation in use, with other keys", async () => {
    const tenancy = await az.newTenancy();
    const name = "demo-zenith-apiserver";
    const isRecord = ({ method, path }: RecordedRequest): boolean =>
      method === "PATCH" && path.includes(`/secrets/${name}`);
    const { namespace } = tenancy;
    let isHeld = (): boolean => false;
    const first = await az.world.runOperator(azimuthCapi, {
      ...{ ...az.operatorOptions, namespaces: [namespace] },
      wrap: (transport) => {
        const faulty = faultyTransport(transport);
        faulty.fault(isRecord, faults.neverRespond());
        isHeld = () => faulty.requests.some(isRecord);
        return faulty;
      },
    });
    await tenancy.newCluster({ name: "demo", template });
    await expect.poll(() => isHeld(), { timeout: 60_000 }).toBe(true);
    await first.kill();
    const publicKey = async (): Promise<string> =>
      Buffer.from((await tenancy.get(Secret, name)).data?.["id_ed25519.pub"] ?? "", "base64").toString();
    const responses = (key: string): readonly number[] =>
      az.neighbours.registrar.calls.filter((call) => call.publicKey === key).map(({ status }) => status);
    const lost = await publicKey();
    expect(responses(lost)).toEqual([200]);
    await using _ = await runFor(az, tenancy);
    await isReady(tenancy);
    const used = await publicKey();
    expect(used).not.toBe(lost);
    expect([responses(lost), responses(used)]).toEqual([[200, 409], [200]]);
    const { annotations } = (await tenancy.get(Secret, name)).metadata;
    const { spec } = await tenancy.get(OpenStackCluster, "demo");
    expect(annotations?.["azimuth.stackhpc.com/zenith-fqdn"]).toBe(spec.controlPlaneEndpoint?.host);
    expect(await revisions(tenancy)).toEqual(["1 deployed"]);
  });
});
