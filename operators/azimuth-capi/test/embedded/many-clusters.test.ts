import { secondPass } from "@keelson/testkit";
import type { Stored } from "keelson";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Cluster } from "../../src/api/cluster.ts";
import { azimuthCapi } from "../../src/operator.ts";
import { type Azimuth, startAzimuth } from "../support/azimuth.ts";
import { kinds, prepare } from "../support/operator.ts";

const template = "tiny";
/** In each namespace the Clusters have the same names. */
const namespaces = 20;
const names = Array.from({ length: 10 }, (_, index) => `demo-${index}`);
const count = namespaces * names.length;

let az: Azimuth;

beforeAll(async () => {
  az = await startAzimuth("embedded");
  await prepare(az);
  az.neighbours.clusterApi.set({ pendingMs: 0, networkMs: 0, machineMs: 0 });
  // Helm is the real one, which takes a third of a second of a core for each release.
  await az.createTemplate(template, {
    ...{ kubernetesVersion: "1.30.2", machineImageId: "image-1", controlPlane: { machineCount: 1 } },
    ...{ addons: { enabled: false }, autoscaler: { enabled: false } },
  });
}, 120_000);
afterAll(() => az?.stop());

async function clusters(): Promise<readonly Stored<Cluster>[]> {
  return (await az.client.list(kinds.Cluster)).items;
}

async function countReady(): Promise<number> {
  return (await clusters()).filter(({ status }) => status?.phase === "Ready").length;
}

/** Of the machines that a Cluster shows. */
function sizesOf({ status }: Stored<Cluster>): readonly (string | null | undefined)[] {
  return Object.values(status?.nodes ?? {}).map(({ size }) => size);
}

it("J.5.24: settles 200 Clusters, of which many have the same name, by one command of Helm each", {
  timeout: 600_000,
}, async () => {
  const settings = { ...az.settings, zenith: {}, identity: { oidcEnabled: false } };
  const options = { ...az.operatorOptions, settings };
  const tenancies = await Promise.all(Array.from({ length: namespaces }, () => az.newTenancy()));
  const sizeOf = (namespace: string, name: string): string => `size-of-${namespace}-${name}`;
  {
    await using operator = await az.world.runOperator(azimuthCapi, options);
    const choice = { template, lease: false, nodeGroups: [] };
    await Promise.all(
      tenancies.flatMap((tenancy) =>
        names.map((name) =>
          tenancy.newCluster({ ...choice, name, controlPlaneSize: sizeOf(tenancy.namespace, name) }),
        ),
      ),
    );
    await expect.poll(countReady, { timeout: 500_000, interval: 500 }).toBe(count);
    await operator.idle();
    expect(operator.problems).toEqual([]);
  }
  for (const cluster of await clusters()) {
    const { namespace, name } = cluster.metadata;
    expect(sizesOf(cluster)).toEqual([sizeOf(namespace, name)]);
    expect(cluster.status?.kubeconfigSecretName).toBe(`${name}-kubeconfig`);
  }
  const calls = await az.helm.calls();
  expect(calls.filter((call) => call.startsWith("upgrade"))).toHaveLength(count);
  expect(await secondPass(azimuthCapi, { ...options, access: az.world.cluster })).toEqual([]);
  expect(await az.helm.calls()).toEqual(calls);
});
