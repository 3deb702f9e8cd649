import { Space, startWorld, type World } from "@keelson/testkit";
import { type Resource, type Stored, systemClock } from "keelson";
import { DaemonSet, Deployment, StatefulSet } from "keelson/kinds/apps/v1";
import { ConfigMap, Pod } from "keelson/kinds/core/v1";
import { PodDisruptionBudget } from "keelson/kinds/policy/v1";
import { genericResource } from "keelson/low-level";
import { ownerReferenceTo } from "keelson/object";
import { afterAll, beforeAll, expect, it } from "vitest";
import { restartStep } from "../../src/reload/restart.ts";
import type { WorkloadKindName } from "../../src/workload/workload-kind.ts";
import { workloadOf } from "../../src/workload/workload-kinds.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL, { nodes: 2 });
});
afterAll(() => world?.stop());

const labels = { app: "web" };
const podSpec = { containers: [{ name: "app", image: "app" }], terminationGracePeriodSeconds: 0 };
const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } };

const isReady = ({ metadata, status }: Stored<Pod>) =>
  metadata.deletionTimestamp === undefined &&
  status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;

async function readyPods(space: Space, name: string): Promise<readonly Stored<Pod>[]> {
  return (await space.list(Pod)).filter((pod) => isReady(pod) && pod.metadata.name.startsWith(name));
}

/** A pod of another owner with the labels of the workload. */
async function createForeignPod({ namespace }: Space): Promise<void> {
  const owner = await world.client.create(ConfigMap, { metadata: { namespace, name: "owner" } });
  const ownerReferences = [ownerReferenceTo({ resource: ConfigMap, object: owner }, { controller: true })];
  await world.client.create(Pod, {
    metadata: { namespace, name: "foreign", labels, ownerReferences },
    spec: podSpec,
  });
}

/** Takes steps until the restart is done, and returns the lowest number of ready pods that was seen. */
async function restart(space: Space, kind: WorkloadKindName, resource: Resource): Promise<number> {
  const context = { liveClient: world.client, clock: systemClock };
  const startedAt = new Date().toISOString();
  let fewest = Number.POSITIVE_INFINITY;
  const step = async (): Promise<boolean> => {
    const progress = await restartStep(
      context,
      workloadOf(kind, await space.get(resource, "web")),
      startedAt,
    );
    fewest = Math.min(fewest, (await readyPods(space, "web")).length);
    return progress.done;
  };
  await expect.poll(step, { timeout: 50_000, interval: 50 }).toBe(true);
  return fewest;
}

it.each([
  ["Deployment", Deployment, { replicas: 3 }, 3],
  ["StatefulSet", StatefulSet, { replicas: 3, serviceName: "web" }, 3],
  ["DaemonSet", DaemonSet, {}, 2],
] as const)("a %s is restarted pod by pod, and no pods but its own", async (kind, resource, own, count) => {
  const space = await Space.create(world);
  const { namespace } = space;
  await world.client.create(genericResource(resource), {
    metadata: { namespace, name: "web" },
    spec: { ...spec, ...own },
  });
  await createForeignPod(space);
  await expect.poll(async () => (await readyPods(space, "web")).length).toBe(count);
  await expect.poll(async () => (await readyPods(space, "foreign")).length).toBe(1);
  const before = await space.list(Pod);
  const fewest = await restart(space, kind, resource);
  expect(fewest).toBeGreaterThanOrEqual(count - 1);
  await expect.poll(async () => (await readyPods(space, "web")).length).toBe(count);
  const old = new Set(before.map(({ metadata }) => metadata.uid));
  const kept = (await space.list(Pod)).filter(({ metadata }) => old.has(metadata.uid));
  expect(kept.map(({ metadata }) => metadata.name)).toEqual(["foreign"]);
});

it("a PodDisruptionBudget holds a restart back, which says so", async () => {
  const space = await Space.create(world);
  const { namespace } = space;
  await world.client.create(Deployment, {
    metadata: { namespace, name: "web" },
    spec: { ...spec, replicas: 2 },
  });
  await world.client.create(PodDisruptionBudget, {
    metadata: { namespace, name: "web" },
    spec: { minAvailable: 2, selector: { matchLabels: labels } },
  });
  await expect.poll(async () => (await readyPods(space, "web")).length).toBe(2);
  await expect.poll(async () => (await space.get(PodDisruptionBudget, "web")).status?.currentHealthy).toBe(2);
  const before = (await space.list(Pod)).map(({ metadata }) => metadata.uid);
  const context = { liveClient: world.client, clock: systemClock };
  const startedAt = new Date().toISOString();
  const step = async () =>
    restartStep(context, workloadOf("Deployment", await space.get(Deployment, "web")), startedAt);
  await expect
    .poll(step)
    .toMatchObject({ done: false, message: expect.stringContaining("disruption budget") });
  expect((await space.list(Pod)).map(({ metadata }) => metadata.uid).sort()).toEqual(before.sort());
  await space.kubectl("patch", "pdb", "web", "--type=merge", "-p", '{"spec":{"minAvailable":1}}');
  await expect.poll(async () => (await step()).done, { timeout: 50_000 }).toBe(true);
});
