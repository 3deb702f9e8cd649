import { type RunningOperator, runOperator, startWorld, type World } from "@keelson/testkit";
import { mergePatch, type Resource, type Stored } from "keelson";
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "keelson/kinds/apps/v1";
import { Pod } from "keelson/kinds/core/v1";
import { genericResource } from "keelson/low-level";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SharedSecret } from "../../src/api/shared-secret.ts";
import { sharedSecret } from "../../src/operator.ts";
import { SharedSecretSpace } from "../support/space.ts";

let world: World;
let operator: RunningOperator;

beforeAll(async () => {
  // Pods take longer to end and to be ready than the operator waits between two steps of a restart.
  const hollow = { terminationDelayMs: 1_500, readyDelayMs: 1_200 };
  world = await startWorld(process.env.KEELSON_LEVEL, { nodes: 2, hollow });
  operator = await runOperator(sharedSecret, { access: world.cluster });
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
});

const podSpec = { containers: [{ name: "app", image: "app" }] };

/** A workload with two pods, of which there is one on each node if it is a DaemonSet. */
interface TestWorkload {
  readonly resource: Resource;
  readonly labels: Readonly<Record<string, string>>;
  readonly updateStrategy?: object;
}

const onDelete = { type: "OnDelete" };
const canary = { type: "RollingUpdate", rollingUpdate: { partition: 1 } };

/** By their names, with which those of their pods begin. */
const workloads: Readonly<Record<string, TestWorkload>> = {
  "manual-set": { resource: StatefulSet, labels: { app: "manual-set" }, updateStrategy: onDelete },
  "manual-daemon": { resource: DaemonSet, labels: { app: "manual-daemon" }, updateStrategy: onDelete },
  "canary-set": { resource: StatefulSet, labels: { app: "canary-set" }, updateStrategy: canary },
  "rolled-set": { resource: StatefulSet, labels: { app: "rolled-set" } },
  "rolled-daemon": { resource: DaemonSet, labels: { app: "rolled-daemon" } },
  deployed: { resource: Deployment, labels: { app: "web", part: "deployed" } },
  loose: { resource: ReplicaSet, labels: { app: "web", part: "loose" } },
  other: { resource: Deployment, labels: { app: "other" } },
};

const names = Object.keys(workloads);

async function create({ namespace }: SharedSecretSpace, name: string, workload: TestWorkload): Promise<void> {
  const { resource, labels, updateStrategy } = workload;
  await world.client.create(genericResource(resource), {
    metadata: { namespace, name },
    spec: {
      ...(resource.kind !== DaemonSet.kind && { replicas: 2 }),
      ...(updateStrategy !== undefined && { updateStrategy }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec },
    },
  });
}

/** Has the consumers restarted, and returns the lowest number of ready pods that was seen of each workload. */
async function restart(space: SharedSecretSpace): Promise<ReadonlyMap<string, number>> {
  await space.flag("db");
  const fewest = new Map<string, number>();
  const flags = async (): Promise<readonly unknown[]> => {
    const pods = await space.readyPods();
    for (const name of names) {
      const { length } = pods.filter(({ metadata }) => metadata.name.startsWith(name));
      fewest.set(name, Math.min(length, fewest.get(name) ?? length));
    }
    const { podsRestartRequired, status } = await space.get(SharedSecret, "db");
    return [podsRestartRequired, status?.podsRestartRequired];
  };
  await expect.poll(flags, { timeout: 40_000, interval: 50 }).toEqual([false, false]);
  return fewest;
}

function uidsOf(pods: readonly Stored<Pod>[]): readonly string[] {
  return pods.map(({ metadata }) => metadata.uid);
}

it("rolls workloads out, and evicts the pods of others one after the other", {
  timeout: 60_000,
}, async () => {
  const space = await SharedSecretSpace.create(world);
  await space.createApproved("db");
  for (const [name, workload] of Object.entries(workloads)) {
    await create(space, name, workload);
    const { kind } = workload.resource;
    if (workload.labels.app === name && name !== "other") await space.allow("db", { kind, name });
  }
  await space.allow("db", { selector: { matchLabels: { app: "web" } } });
  await expect.poll(async () => (await space.status("db")).consumers?.length).toBe(6);
  const before = new Set<string>();
  for (const name of names) for (const uid of uidsOf(await space.hasPods(name, 2))) before.add(uid);
  const fewest = await restart(space);
  const rows = names.map(async (name) => {
    const after = await space.hasPods(name, 2);
    const resource = genericResource(workloads[name]?.resource ?? Deployment);
    const { generation = 1 } = (await space.get(resource, name)).metadata;
    const kept = uidsOf(after).filter((uid) => before.has(uid)).length;
    return [name, { kept, rollouts: generation - 1, fewest: fewest.get(name) }];
  });
  expect(Object.fromEntries(await Promise.all(rows))).toEqual({
    "manual-set": { kept: 0, rollouts: 0, fewest: 1 },
    "manual-daemon": { kept: 0, rollouts: 0, fewest: 1 },
    "canary-set": { kept: 0, rollouts: 0, fewest: 1 },
    "rolled-set": { kept: 0, rollouts: 1, fewest: 1 },
    "rolled-daemon": { kept: 0, rollouts: 1, fewest: 1 },
    deployed: { kept: 0, rollouts: 1, fewest: 2 },
    loose: { kept: 0, rollouts: 0, fewest: 1 },
    other: { kept: 2, rollouts: 0, fewest: 2 },
  });
});

it("leaves a pod without a controller to a user, or deletes it if that is allowed", async () => {
  const space = await SharedSecretSpace.create(world);
  const { namespace } = space;
  const createPod = () => world.client.create(Pod, { metadata: { namespace, name: "lone" }, spec: podSpec });
  await space.createApproved("db");
  await space.allow("db", { kind: "Pod", name: "lone" });
  await space.hasConsumers("db", "lone");
  await createPod();
  const before = uidsOf(await space.hasPods("lone", 1));
  await space.flag("db");
  const problem = async () => (await space.status("db")).consumers?.[0]?.problem;
  await expect.poll(problem).toContain("delete and create it, or set spec.restart.allowDeletion");
  expect(await space.status("db")).toMatchObject({ podsRestartRequired: true });
  expect(uidsOf(await space.readyPods("lone"))).toEqual(before);
  const allowed = mergePatch({ spec: { restart: { allowDeletion: true } } });
  await world.client.patch(SharedSecret, { namespace, name: "db" }, allowed);
  await space.isRestarted("db");
  await expect.poll(() => space.find(Pod, "lone")).toBeUndefined();
  expect(await problem()).toBeUndefined();
  await createPod();
  await space.hasPods("lone", 1);
});
