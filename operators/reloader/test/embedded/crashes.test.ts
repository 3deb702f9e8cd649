import {
  crashAtEveryWrite,
  describeWrite,
  type Scenario,
  type ScenarioWorld,
  startWorld,
  type World,
} from "@keelson/testkit";
import { controllerOf, find, mergePatch } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { Secret } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, expect, it } from "vitest";
import { annotationKeys } from "../../src/api/annotation-keys.ts";
import { ReloadRecord, type ReloadRecordStatus } from "../../src/api/reload-record.ts";
import { reloader } from "../../src/operator.ts";
import { ReloaderSpace } from "../support/space.ts";
import { createWorkload, endless, readyPods } from "../support/workloads.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL, { nodes: 2 });
});
afterAll(() => world?.stop());

const keys = annotationKeys();
const auto = { [keys.auto]: "true" };
const operatorOptions = { settings: { coalesceWindow: "50ms" } };

const spaceOf = ({ namespace }: ScenarioWorld) => new ReloaderSpace(world, namespace);

async function statusOf(
  { client, namespace }: ScenarioWorld,
  name: string,
): Promise<ReloadRecordStatus | undefined> {
  return (await find(client, ReloadRecord, { namespace, name }))?.status;
}

const isAdopted = async (scene: ScenarioWorld, name: string) =>
  (await statusOf(scene, name))?.baselines !== undefined;

async function changeSecret({ client, namespace }: ScenarioWorld): Promise<void> {
  const data = { password: Buffer.from("two").toString("base64") };
  await client.patch(Secret, { namespace, name: "db" }, mergePatch({ data }));
}

async function crash(scenario: Scenario): Promise<readonly string[]> {
  const { writes, crashes } = await crashAtEveryWrite(reloader, {
    ...{ cluster: world.cluster, scenario, operatorOptions, concurrency: 8 },
  });
  expect(crashes.length).toBeGreaterThanOrEqual(writes.length - 2);
  return [...new Set(writes.map(({ namespace: _, ...write }) => describeWrite(write).replace(/ \S+$/, "")))];
}

it("a restart replaces every pod, whenever the operator ends", { timeout: 120_000 }, async () => {
  const first = new Map<string, ReadonlySet<string>>();
  const uidsOf = async (scene: ScenarioWorld) =>
    (await readyPods(spaceOf(scene), "web")).map(({ metadata }) => metadata.uid);
  const writes = await crash({
    prepare: async (scene) => {
      await spaceOf(scene).createSecret("db", { password: "one" });
      const annotations = { ...auto, [keys.rolloutStrategy]: "restart" };
      await createWorkload(spaceOf(scene), "Deployment", "web", { annotations });
    },
    act: async (scene) => {
      first.set(scene.namespace, new Set(await uidsOf(scene)));
      await changeSecret(scene);
    },
    remove: ({ client, namespace }) => client.deleteAllOf(Deployment, { namespace }),
    isSettled: async (scene, stage) => {
      if ((await uidsOf(scene)).length < 2 || !(await isAdopted(scene, "deployment-web"))) return false;
      const { reloadCount, restart } = (await statusOf(scene, "deployment-web")) ?? {};
      return stage === "prepared" || (reloadCount === 1 && restart === undefined);
    },
    outcome: async (scene) => {
      const { reloadCount, restart } = (await statusOf(scene, "deployment-web")) ?? {};
      const uids = await uidsOf(scene);
      const old = uids.filter((uid) => first.get(scene.namespace)?.has(uid) === true);
      return { reloadCount, isRestarting: restart !== undefined, pods: uids.length, old: old.length };
    },
  });
  expect(writes).toEqual([
    "create reloadrecords.reloader.stakater.com",
    "patch reloadrecords.reloader.stakater.com/status",
    "create pods/eviction",
  ]);
});

it("a Job is replaced and a CronJob runs once, whenever the operator ends", {
  timeout: 120_000,
}, async () => {
  const first = new Map<string, string>();
  const runsOf = async ({ client, namespace }: ScenarioWorld) =>
    (await client.list(Job, { namespace })).items.filter((job) => controllerOf(job) !== undefined);
  const writes = await crash({
    prepare: async (scene) => {
      const space = spaceOf(scene);
      await space.createSecret("db", { password: "one" });
      await createWorkload(space, "CronJob", "nightly", {
        annotations: { ...auto, [keys.cronJobPolicy]: "run-now" },
      });
      const job = await createWorkload(space, "Job", "migrate", {
        annotations: { ...auto, [keys.jobPolicy]: "recreate" },
        templateAnnotations: endless,
      });
      first.set(scene.namespace, job.metadata.uid);
    },
    act: changeSecret,
    remove: async ({ client, namespace }) => {
      await client.deleteAllOf(CronJob, { namespace });
      await client.deleteAllOf(Job, { namespace, propagationPolicy: "Background" });
    },
    isSettled: async (scene, stage) => {
      const { client, namespace } = scene;
      const job = await client.get(Job, { namespace, name: "migrate" });
      const record = await client.get(ReloadRecord, { namespace, name: "job-migrate" });
      const isOwn = record.spec.uid === job.metadata.uid && record.status?.baselines !== undefined;
      if (!isOwn || job.status?.active !== 1 || !(await isAdopted(scene, "cronjob-nightly"))) return false;
      const isFirst = job.metadata.uid === first.get(namespace);
      return stage === "prepared"
        ? isFirst
        : !isFirst && (await statusOf(scene, "cronjob-nightly"))?.reloadCount === 1;
    },
    outcome: async (scene) => {
      const { client, namespace } = scene;
      const job = await client.get(Job, { namespace, name: "migrate" });
      const { spec } = await client.get(CronJob, { namespace, name: "nightly" });
      const record = await client.get(ReloadRecord, { namespace, name: "job-migrate" });
      return {
        env: job.spec?.template.spec?.containers[0]?.env?.map(({ name }) => name),
        pods: (await readyPods(spaceOf(scene), "migrate")).length,
        recreatedJob: record.status?.recreatedJob,
        owners: record.metadata.ownerReferences?.length,
        runs: (await runsOf(scene)).length,
        isPatched: JSON.stringify(spec.jobTemplate).includes("RELOADER_TRIGGERED_AT"),
      };
    },
  });
  expect(writes.toSorted()).toEqual([
    "create jobs.batch",
    "create reloadrecords.reloader.stakater.com",
    "delete jobs.batch",
    "delete reloadrecords.reloader.stakater.com",
    "patch cronjobs.batch",
    "patch reloadrecords.reloader.stakater.com",
    "patch reloadrecords.reloader.stakater.com/status",
  ]);
});

it("a paused Deployment is resumed and rolled out once, whenever the operator ends", {
  timeout: 120_000,
}, async () => {
  const deploymentOf = ({ client, namespace }: ScenarioWorld) =>
    client.get(Deployment, { namespace, name: "web" });
  const outcomeOf = async (scene: ScenarioWorld) => {
    const { metadata, spec } = await deploymentOf(scene);
    return {
      revision: metadata.annotations?.["deployment.kubernetes.io/revision"],
      isMarked: keys.pausedAt in (metadata.annotations ?? {}),
      isPaused: spec?.paused === true,
      reloadCount: (await statusOf(scene, "deployment-web"))?.reloadCount,
    };
  };
  const writes = await crash({
    prepare: async (scene) => {
      await spaceOf(scene).createSecret("db", { password: "one" });
      const annotations = { ...auto, [keys.pausePeriod("Deployment")]: "1s" };
      await createWorkload(spaceOf(scene), "Deployment", "web", { annotations });
    },
    act: changeSecret,
    remove: ({ client, namespace }) => client.deleteAllOf(Deployment, { namespace }),
    isSettled: async (scene, stage) => {
      const { revision, isPaused, reloadCount } = await outcomeOf(scene);
      if (stage === "prepared") return revision === "1" && (await isAdopted(scene, "deployment-web"));
      return revision === "2" && !isPaused && reloadCount === 1;
    },
    outcome: outcomeOf,
  });
  expect(writes).toEqual([
    "create reloadrecords.reloader.stakater.com",
    "patch reloadrecords.reloader.stakater.com/status",
    "patch deployments.apps",
  ]);
});
