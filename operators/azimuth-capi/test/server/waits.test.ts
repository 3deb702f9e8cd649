import { Secret } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OidcClient, Platform, Realm } from "../../testing/neighbours/identity.ts";
import { Lease } from "../../testing/neighbours/scheduling.ts";
import { type Azimuth, startAzimuth, type Tenancy } from "../support/azimuth.ts";
import {
  clusterOf,
  helmCalls,
  isReady,
  kinds,
  prepare,
  provisionedReason,
  runFor,
  template,
} from "../support/operator.ts";

let az: Azimuth;

beforeAll(async () => {
  az = await startAzimuth(process.env.KEELSON_LEVEL);
  await prepare(az);
}, 120_000);
afterAll(() => az?.stop());

const never = Number.POSITIVE_INFINITY;

/** A neighbour that holds a Cluster up, how it is released, and what does not exist until then. */
interface Hold {
  readonly reason: string;
  readonly hold: (tenancy: Tenancy) => void;
  readonly release: (tenancy: Tenancy) => void;
  readonly absent: readonly string[];
}

const holds: Readonly<Record<string, Hold>> = {
  "the Realm": {
    reason: "RealmNotReady",
    hold: ({ namespace, neighbours }) => neighbours.identity.set({ realmMs: never }, namespace),
    release: ({ namespace, neighbours }) => neighbours.identity.set({ realmMs: 0 }, namespace),
    absent: ["oidcclients", "platforms"],
  },
  "the OIDC client": {
    reason: "OIDCClientNotReady",
    hold: ({ namespace, neighbours }) => neighbours.identity.set({ clientMs: never }, namespace),
    release: ({ namespace, neighbours }) => neighbours.identity.set({ clientMs: 0 }, namespace),
    absent: ["platforms"],
  },
  "the Platform": {
    reason: "PlatformNotReady",
    hold: ({ namespace, neighbours }) => neighbours.identity.set({ platformMs: never }, namespace),
    release: ({ namespace, neighbours }) => neighbours.identity.set({ platformMs: 0 }, namespace),
    absent: [],
  },
  "the Lease": {
    reason: "LeaseNotActive",
    hold: ({ namespace, neighbours }) =>
      neighbours.scheduling.set({ steps: [{ phase: "Pending", forMs: never }] }, namespace),
    release: ({ namespace, neighbours }) =>
      neighbours.scheduling.set({ steps: [{ phase: "Active", forMs: never }] }, namespace),
    absent: [],
  },
};

describe("a Cluster waits", { timeout: 180_000 }, () => {
  it.each(Object.entries(holds))(
    "J.5.5: for %s, and goes on as soon as it is ready",
    async (_, { reason, hold, release, absent }) => {
      const tenancy = await az.newTenancy();
      hold(tenancy);
      await using operator = await runFor(az, tenancy);
      await tenancy.newCluster({ name: "demo", template });
      await expect.poll(() => provisionedReason(tenancy)).toBe(reason);
      await operator.idle();
      expect(await helmCalls(az, tenancy, "upgrade")).toBe(0);
      expect(await tenancy.find(Secret, "demo-zenith-apiserver")).toBeUndefined();
      for (const plural of absent) expect(await tenancy.kubectl("get", plural, "-o", "name")).toBe("");
      expect((await clusterOf(tenancy)).status).toMatchObject({
        phase: "Pending",
        lastUpdated: expect.any(String),
      });
      expect(await tenancy.eventsAbout(kinds.Cluster, "demo")).toContain(`Normal ${reason}`);
      release(tenancy);
      // The operator itself looks again after 15 s at the earliest: the watch is what continues it.
      await expect.poll(() => provisionedReason(tenancy), { timeout: 14_000 }).not.toBe(reason);
      await isReady(tenancy);
      expect(await helmCalls(az, tenancy, "upgrade")).toBe(1);
    },
  );

  it("for a lease that comes late", async () => {
    const tenancy = await az.newTenancy();
    await using _ = await runFor(az, tenancy);
    const choice = { name: "demo", template, lease: "later" } as const;
    await tenancy.newCluster(choice);
    await expect.poll(() => provisionedReason(tenancy)).toBe("LeaseNotFound");
    await az.neighbours.api.createLease({ ...choice, namespace: tenancy.namespace });
    await expect.poll(() => provisionedReason(tenancy), { timeout: 14_000 }).toBe("Provisioned");
  });

  it("J.5.6: for the Realm that it names, or else for the first one of its namespace", async () => {
    const tenancy = await az.newTenancy({ hasRealm: false });
    const { namespace } = tenancy;
    await using _ = await runFor(az, tenancy);
    await tenancy.newCluster({ name: "first", template, lease: false });
    await tenancy.newCluster({
      name: "named",
      template,
      lease: false,
      spec: { zenithIdentityRealmName: "other" },
    });
    await expect.poll(() => provisionedReason(tenancy, "first")).toBe("RealmNotFound");
    await expect.poll(() => provisionedReason(tenancy, "named")).toBe("RealmNotFound");
    for (const name of ["b-realm", "a-realm"])
      await az.client.create(Realm, { metadata: { namespace, name }, spec: { tenancyId: "one" } });
    await expect.poll(() => provisionedReason(tenancy, "first"), { timeout: 14_000 }).toBe("Provisioned");
    expect((await tenancy.get(Platform, "kube-first")).spec.realmName).toMatch(/^[ab]-realm$/);
    expect(await provisionedReason(tenancy, "named")).toBe("RealmNotFound");
    await az.client.create(Realm, { metadata: { namespace, name: "other" }, spec: { tenancyId: "one" } });
    await expect.poll(() => provisionedReason(tenancy, "named"), { timeout: 14_000 }).toBe("Provisioned");
    expect((await tenancy.get(OidcClient, "kube-named")).spec.realmName).toBe("other");
  });

  it("for a template that comes late", async () => {
    const tenancy = await az.newTenancy();
    const late = `late-${tenancy.namespace}`;
    await using _ = await runFor(az, tenancy);
    await tenancy.newCluster({ name: "demo", template: late });
    await expect.poll(() => provisionedReason(tenancy)).toBe("TemplateNotFound");
    await az.createTemplate(late, { kubernetesVersion: "1.30.2", machineImageId: "image-1" });
    await expect.poll(() => provisionedReason(tenancy), { timeout: 14_000 }).toBe("Provisioned");
  });

  it("for credentials, and says so", async () => {
    const tenancy = await az.newTenancy();
    await tenancy.newCluster({ name: "demo", template });
    const credentials = await tenancy.get(Secret, "demo-cloud-credentials");
    await tenancy.kubectl("delete", "secret", "demo-cloud-credentials");
    await using _ = await runFor(az, tenancy);
    await expect.poll(() => provisionedReason(tenancy)).toBe("CredentialsNotFound");
    const { namespace, name } = credentials.metadata;
    await az.client.create(Secret, { metadata: { namespace, name }, data: credentials.data ?? {} });
    // Other Secrets than those of Cluster API are not watched; a label has the Cluster looked at before its time.
    await tenancy.kubectl("label", "clusters.azimuth.stackhpc.com", "demo", "look=now");
    await expect.poll(() => provisionedReason(tenancy)).toBe("Provisioned");
  });
});

describe("a Cluster is tried again", { timeout: 180_000 }, () => {
  it("after Helm has failed", async () => {
    const tenancy = await az.newTenancy();
    await using _ = await runFor(az, tenancy);
    await az.helm.fail("Error: the cloud is on fire");
    try {
      await tenancy.newCluster({ name: "demo", template });
      await expect.poll(() => provisionedReason(tenancy)).toBe("HelmFailed");
      const { status } = await clusterOf(tenancy);
      expect(status?.conditions?.[0]?.message).toContain("the cloud is on fire");
      expect(await tenancy.eventsAbout(kinds.Cluster, "demo")).toContain("Warning HelmFailed");
    } finally {
      await az.helm.fail();
    }
    await isReady(tenancy);
  });

  it("L13: after the registrar has failed, with the same keys", async () => {
    const tenancy = await az.newTenancy();
    await using _ = await runFor(az, tenancy);
    az.neighbours.registrar.set({ failure: 503 });
    try {
      await tenancy.newCluster({ name: "demo", template });
      await expect.poll(() => provisionedReason(tenancy)).toBe("RegistrarFailed");
    } finally {
      az.neighbours.registrar.set({ failure: undefined });
    }
    const { data: keys } = await tenancy.get(Secret, "demo-zenith-apiserver");
    await isReady(tenancy);
    const secret = await tenancy.get(Secret, "demo-zenith-apiserver");
    expect(secret.data).toEqual(keys);
    expect(secret.metadata.annotations).toHaveProperty(["azimuth.stackhpc.com/zenith-fqdn"]);
  });
});

describe("J.5.7: a lease", { timeout: 180_000 }, () => {
  it("that fails makes the Cluster fail; one that ends deletes it", async () => {
    const tenancy = await az.newTenancy();
    const { namespace } = tenancy;
    await using _ = await runFor(az, tenancy);
    az.neighbours.scheduling.set({ steps: [{ phase: "Error", forMs: never }] }, namespace);
    await tenancy.newCluster({ name: "demo", template });
    await expect.poll(async () => (await clusterOf(tenancy)).status?.phase).toBe("Failed");
    az.neighbours.scheduling.set({ steps: [{ phase: "Active", forMs: never }] }, namespace);
    await isReady(tenancy);
    const endsAt = new Date(Date.now() - 1_000).toISOString();
    await tenancy.kubectl(
      ...["patch", "leases.scheduling.azimuth.stackhpc.com", "kube-demo", "--type=merge"],
      ...["-p", JSON.stringify({ spec: { endsAt } })],
    );
    await expect.poll(() => tenancy.find(kinds.Cluster, "demo"), { timeout: 60_000 }).toBeUndefined();
    await expect.poll(() => tenancy.find(Lease, "kube-demo")).toBeUndefined();
  });
});
