import { ConnectionError, find, mergePatch } from "@keelson/client";
import type { Stored } from "@keelson/core";
import { Pod } from "@keelson/core/kinds/core/v1";
import { PodDisruptionBudget } from "@keelson/core/kinds/policy/v1";
import { faults } from "@keelson/testkit";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { evictPod } from "../../src/object/evict-pod.ts";
import { type CacheLab, type CacheWorld, startCacheLab } from "../support/cache-world.ts";

let lab: CacheLab;
let world: CacheWorld;

beforeAll(async () => {
  lab = await startCacheLab();
});
afterAll(async () => {
  await lab?.stop();
});
beforeEach(async () => {
  world = await lab.world();
});

const labels = { app: "web" };

/** A pod that its kubelet reports as ready. */
async function createPod(name = "web"): Promise<Stored<Pod>> {
  const key = { namespace: world.namespace, name };
  const containers = [{ name: "web", image: "web" }];
  await lab.admin.create(Pod, { metadata: { ...key, labels }, spec: { containers } });
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  return lab.admin.status(Pod).patch(key, mergePatch({ status }));
}

/** A budget that its controller allows no disruption. */
async function createBudget(name: string): Promise<void> {
  const key = { namespace: world.namespace, name };
  await lab.admin.create(PodDisruptionBudget, {
    metadata: key,
    spec: { minAvailable: 1, selector: { matchLabels: labels } },
  });
  const pods = { desiredHealthy: 1, currentHealthy: 1, expectedPods: 1, disruptionsAllowed: 0 };
  const status = { observedGeneration: 1, ...pods };
  await lab.admin.status(PodDisruptionBudget).patch(key, mergePatch({ status }));
}

const stored = ({ metadata: { namespace, name } }: Stored<Pod>) => find(lab.admin, Pod, { namespace, name });

it("evicts a pod, and takes one that does not exist any more for evicted", async () => {
  const pod = await createPod();
  expect(await evictPod(world.live, pod)).toEqual({ evicted: true });
  expect(await stored(pod)).toBeUndefined();
  expect(await evictPod(world.live, pod)).toEqual({ evicted: true });
});

it("states the uid of the pod, so that the server evicts no other one of its name", async () => {
  const pod = await createPod();
  await evictPod(world.live, pod);
  const requests = world.transport.requests.filter(({ path }) => path.endsWith("/web/eviction"));
  expect(requests.map(({ body = "" }) => JSON.parse(body).deleteOptions)).toEqual([
    { preconditions: { uid: pod.metadata.uid } },
  ]);
});

it("returns why a PodDisruptionBudget forbids it, and whatever else the server refuses it for", async () => {
  const pod = await createPod();
  await createBudget("first");
  expect(await evictPod(world.live, pod)).toEqual({
    evicted: false,
    reason: "The disruption budget first needs 1 healthy pods and has 1 currently",
  });
  await createBudget("second");
  expect(await evictPod(world.live, pod)).toEqual({
    evicted: false,
    reason: expect.stringContaining("more than one PodDisruptionBudget"),
  });
  expect((await stored(pod))?.metadata.uid).toBe(pod.metadata.uid);
});

it("throws if the server did not respond", async () => {
  const pod = await createPod();
  world.transport.fault({ method: "POST", path: /eviction$/ }, faults.reset());
  await expect(evictPod(world.live, pod)).rejects.toThrow(ConnectionError);
  expect(await stored(pod)).toBeDefined();
});
