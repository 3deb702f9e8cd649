import type { RunningOperator } from "@keelson/testkit";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Neighbours } from "../../testing/environment.ts";
import { type Azimuth, startAzimuth, type Tenancy } from "../support/azimuth.ts";
import {
  clusterOf,
  isReady,
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

const never = Number.POSITIVE_INFINITY;
const nodeGroups = [{ name: "workers", machineSize: "small", count: 1 }];

async function phaseOf(tenancy: Tenancy): Promise<string | undefined> {
  return (await clusterOf(tenancy)).status?.phase;
}

/** A part of a Cluster is not as it should be, and is again. */
interface Row {
  readonly set: (neighbours: Neighbours, namespace: string) => void;
  readonly reset: (neighbours: Neighbours, namespace: string) => void;
  readonly phase: string;
  /** What else the status shows. */
  readonly status?: object;
}

const clusterApi = (
  values: Parameters<Neighbours["clusterApi"]["set"]>[0],
  phase: string,
  status: object = {},
): Row => ({
  ...{ phase, status },
  set: (neighbours, namespace) => neighbours.clusterApi.set(values, namespace),
  reset: (neighbours, namespace) =>
    neighbours.clusterApi.set(
      {
        ...{ clusterPhase: undefined, machinePhase: undefined, controlPlaneProblem: undefined },
        ...{ unhealthyNodes: [], hasHealthyComponents: true },
      },
      namespace,
    ),
});

const lease = (leasePhase: string, phase: string): Row => ({
  ...{ phase, status: { leasePhase } },
  set: ({ scheduling }, namespace) =>
    scheduling.set({ steps: [{ phase: leasePhase, forMs: never }] }, namespace),
  reset: ({ scheduling }, namespace) =>
    scheduling.set({ steps: [{ phase: "Active", forMs: never }] }, namespace),
});

type Rows = Readonly<Record<string, Row>>;

/** Some for each kind of part; the tables of the unit tests have all of them. */
const networking: Rows = {
  "D.1.2: a lease with an error": lease("Error", "Failed"),
  "D.1.3: a lease that terminates": lease("Terminating", "Unhealthy"),
  "D.1.4: a network that is made": clusterApi({ clusterPhase: "Provisioning" }, "Reconciling"),
  "D.1.6: a network that has failed": clusterApi({ clusterPhase: "Failed" }, "Failed"),
  "L11: a network in a phase that is not known": clusterApi({ clusterPhase: "Updating" }, "Pending"),
};

const machines: Rows = {
  "D.1.9: a control plane that scales": clusterApi({ controlPlaneProblem: "ScalingUp" }, "Reconciling", {
    controlPlanePhase: "ScalingUp",
  }),
  "D.1.10: a control plane that is upgraded": clusterApi(
    { controlPlaneProblem: "RollingUpdateInProgress" },
    "Upgrading",
  ),
  "D.1.15: a machine that is made": clusterApi({ machinePhase: "Provisioned" }, "Reconciling"),
  "D.1.17: components of a control plane that are not healthy": clusterApi(
    { hasHealthyComponents: false },
    "Unhealthy",
    { controlPlanePhase: "Unhealthy" },
  ),
  "D.1.17: a node that is not healthy": clusterApi({ unhealthyNodes: ["workers"] }, "Unhealthy"),
  "L11: a machine in a phase that is not known": clusterApi({ machinePhase: "Melting" }, "Unhealthy"),
};

const addons: Rows = {
  "D.1.16: an addon that is upgraded": {
    phase: "Reconciling",
    status: { addons: { "loki-stack": { phase: "Upgrading" } } },
    set: (neighbours, namespace) => neighbours.addons.set({ installMs: never, failing: ["loki"] }, namespace),
    reset: (neighbours, namespace) => neighbours.addons.set({ installMs: 20, failing: [] }, namespace),
  },
  "D.1.17: an addon that fails": {
    phase: "Unhealthy",
    status: { addons: { "loki-stack": { phase: "Failed" } } },
    set: (neighbours, namespace) => neighbours.addons.set({ failing: ["loki"] }, namespace),
    reset: (neighbours, namespace) => neighbours.addons.set({ failing: [] }, namespace),
  },
  "D.4: an addon of Flux that fails": {
    phase: "Unhealthy",
    status: { addons: { "intel-xpu-monitoring": { phase: "Failed" } } },
    set: ({ flux }, namespace) => flux.set({ problem: "BuildFailed" }, namespace),
    reset: ({ flux }, namespace) => flux.set({ problem: undefined }, namespace),
  },
};

describe.each([networking, machines, addons])(
  "J.5.14: the phase of a Cluster that is ready",
  { timeout: 180_000 },
  (rows) => {
    let tenancy: Tenancy;
    let operator: RunningOperator;

    beforeAll(async () => {
      tenancy = await az.newTenancy();
      operator = await runFor(az, tenancy, { zenith: {} });
      await tenancy.newCluster({ name: "demo", template, nodeGroups, addons: { monitoring: true } });
      await vi.waitFor(async () => expect(await phaseOf(tenancy)).toBe("Ready"), { timeout: 60_000 });
    }, 120_000);
    afterAll(() => operator?.stop());

    it.each(Object.entries(rows))("follows %s, and is ready again", async (_, { set, reset, ...row }) => {
      set(az.neighbours, tenancy.namespace);
      await expect.poll(() => phaseOf(tenancy)).toBe(row.phase);
      const { status } = await clusterOf(tenancy);
      expect(status).toMatchObject(row.status ?? {});
      // D.5: what may end by itself has begun at a time.
      expect(status?.lastUpdated !== undefined).toBe(row.phase !== "Failed");
      reset(az.neighbours, tenancy.namespace);
      await expect.poll(() => phaseOf(tenancy)).toBe("Ready");
      expect((await clusterOf(tenancy)).status?.lastUpdated).toBeUndefined();
    });
  },
);

describe("J.5.15: a Cluster that takes too long", { timeout: 180_000 }, () => {
  const quick = { zenith: {}, clusterTimeoutSeconds: 1 };

  it("D.5: is unhealthy while its network is made, and ready once it is there", async () => {
    const tenancy = await az.newTenancy();
    const { namespace } = tenancy;
    az.neighbours.clusterApi.set({ networkMs: never }, namespace);
    await using _ = await runFor(az, tenancy, quick);
    await tenancy.newCluster({ name: "demo", template, nodeGroups });
    await expect.poll(() => phaseOf(tenancy)).toBe("Unhealthy");
    const { status } = await clusterOf(tenancy);
    expect(status).toMatchObject({ lastUpdated: expect.any(String) });
    az.neighbours.clusterApi.set({ networkMs: 0 }, namespace);
    expect((await isReady(tenancy)).status?.lastUpdated).toBeUndefined();
  });

  it("D.5: is unhealthy while its lease is not active, since the time of its creation", async () => {
    const tenancy = await az.newTenancy();
    await using operator = await runFor(az, tenancy, quick);
    await tenancy.newCluster({ name: "demo", template, nodeGroups, lease: "later" });
    await expect.poll(() => phaseOf(tenancy)).toBe("Pending");
    const { status } = await clusterOf(tenancy);
    await expect.poll(() => phaseOf(tenancy)).toBe("Unhealthy");
    // Attempts that fail do not set the time back.
    expect((await clusterOf(tenancy)).status?.lastUpdated).toBe(status?.lastUpdated);
    expect(operator.problems).toEqual([]);
    await az.neighbours.api.createLease({ ...tenancy.key("demo"), template });
    await isReady(tenancy);
  });

  it("L6: is unhealthy if a change of its spec cannot be made, although all its parts are ready", async () => {
    const tenancy = await az.newTenancy();
    await using _ = await runFor(az, tenancy, quick);
    await tenancy.newCluster({ name: "demo", template, nodeGroups });
    await isReady(tenancy);
    await az.helm.fail("Error: the cloud is full");
    try {
      await tenancy.patchCluster("demo", { nodeGroups: [] });
      await expect.poll(() => phaseOf(tenancy)).toBe("Unhealthy");
      const { status } = await clusterOf(tenancy);
      expect(status).toMatchObject({
        networkingPhase: "Provisioned",
        controlPlanePhase: "Ready",
        nodeCount: 2,
      });
      expect(status?.lastUpdated).toBeDefined();
      expect(await provisionedReason(tenancy)).toBe("HelmFailed");
    } finally {
      await az.helm.fail();
    }
    await expect.poll(async () => (await clusterOf(tenancy)).status?.nodeCount).toBe(1);
    expect((await isReady(tenancy)).status?.lastUpdated).toBeUndefined();
    expect(await provisionedReason(tenancy)).toBe("Provisioned");
  });
});
