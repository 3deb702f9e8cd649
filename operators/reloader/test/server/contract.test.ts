import {
  type ContractScenario,
  type CrashReport,
  describeWrite,
  normalized,
  operatorContract,
  type ScenarioWorld,
  startWorld,
  type World,
} from "@keelson/testkit";
import { Deployment, ReplicaSet, StatefulSet } from "keelson/kinds/apps/v1";
import { Job } from "keelson/kinds/batch/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ReloadRecord, type ReloadRecordStatus } from "../../src/api/reload-record.ts";
import { ReloaderConfig } from "../../src/api/reloader-config.ts";
import type { ReloaderConfigSpecInput } from "../../src/api/spec.ts";
import { reloader } from "../../src/operator.ts";
import { ReloaderSpace, usingContainer } from "../support/space.ts";
import { specEdits } from "../support/spec-edits.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(() => world?.stop());

const spaceOf = ({ namespace }: ScenarioWorld): ReloaderSpace => new ReloaderSpace(world, namespace);
const watchedResources = { secrets: ["db"] };
const web = { kind: "Deployment", name: "web" } as const;
const containers = [usingContainer({ secret: "db" })];

/** The Secret, and one ReloaderConfig for each spec. */
async function createConfigs(
  space: ReloaderSpace,
  ...specs: readonly ReloaderConfigSpecInput[]
): Promise<void> {
  await space.createSecret("db", { password: "1" });
  for (const [index, spec] of specs.entries())
    await space.createConfig(`config-${index}`, { watchedResources, ...spec });
}

async function createStatefulSet({ namespace }: ReloaderSpace, name: string): Promise<void> {
  const labels = { app: name };
  await world.client.create(StatefulSet, {
    metadata: { namespace, name },
    spec: {
      serviceName: name,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  });
}

const changeSecret = (scenario: ScenarioWorld) => spaceOf(scenario).changeSecret("db", { password: "2" });

const isUnderWay = ({ restart, recreatedJob }: ReloadRecordStatus) =>
  restart !== undefined || recreatedJob !== undefined;

/** Whether all records have a baseline and nothing to do, and the statuses of the configs count so many reloads. */
async function hasReloaded(scenario: ScenarioWorld, reloads: number): Promise<boolean> {
  const space = spaceOf(scenario);
  const configs = await space.list(ReloaderConfig);
  const records = await space.list(ReloadRecord);
  return (
    records.every(({ status }) => status?.baselines !== undefined && !isUnderWay(status)) &&
    configs.every(
      ({ metadata, spec, status }) =>
        status?.observedGeneration === metadata.generation &&
        status?.reloadCount === reloads * (spec.targets?.length ?? 0) &&
        (spec.targets?.length ?? 0) <= records.length,
    )
  );
}

/** The final state, without what depends on timing. */
async function outcome(scenario: ScenarioWorld): Promise<unknown> {
  const space = spaceOf(scenario);
  const { namespace } = space;
  const workloads = [...(await space.list(Deployment)), ...(await space.list(StatefulSet))];
  const shownWorkloads = workloads.map(({ kind, metadata: { name, generation }, spec }) => ({
    kind,
    metadata: { namespace, name },
    generation,
    template: spec?.template,
    paused: "paused" in (spec ?? {}),
  }));
  const configs = (await space.list(ReloaderConfig)).map(({ kind, metadata: { name }, status }) => ({
    kind,
    metadata: { namespace, name },
    status,
  }));
  const records = (await space.list(ReloadRecord)).map(({ kind, metadata: { name }, status }) => ({
    kind,
    metadata: { namespace, name },
    status,
  }));
  const jobs = (await space.list(Job)).map(({ kind, metadata: { name, annotations = {} }, spec }) => ({
    kind,
    metadata: { namespace, name, annotations },
    env: spec?.template.spec?.containers.map(({ env }) => env),
  }));
  const objects = [...shownWorkloads, ...configs, ...records, ...jobs];
  const shown = objects.map((object) => ({ ...withoutSeconds(object), apiVersion: "v1" }));
  return [normalized(shown), { replicaSets: (await space.list(ReplicaSet)).length }];
}

/** Upstream's annotation has the time as a number. */
function withoutSeconds<T>(object: T): T {
  return JSON.parse(JSON.stringify(object).replaceAll(/(observedAt\\":)\d+/g, "$10"));
}

function writesTo(pattern: RegExp): (report: CrashReport) => void {
  return ({ writes, crashes }) => {
    expect(writes.map(describeWrite)).toContainEqual(expect.stringMatching(pattern));
    expect(crashes.length).toBeGreaterThan(3);
  };
}

/** Restarts by eviction and paused Deployments are in `crashes.test.ts`. */
const scenarios: Readonly<Record<string, ContractScenario>> = {
  "a Secret of two workloads and two ReloaderConfigs changes": {
    prepare: async (scenario) => {
      const space = spaceOf(scenario);
      await space.createDeployment("web", { spec: { containers } });
      await createStatefulSet(space, "db");
      const database = { kind: "StatefulSet", name: "db", reloadStrategy: "annotations" } as const;
      await createConfigs(space, { targets: [web, database] }, { targets: [web], autoReloadAll: true });
    },
    act: changeSecret,
    isSettled: (scenario, stage) => hasReloaded(scenario, stage === "prepared" ? 0 : 1),
    eventReasons: ["Reloaded"],
    outcome,
    checkReport: writesTo(/^patch deployments\.apps /),
  },
  "a Job is replaced": {
    prepare: async (scenario) => {
      const space = spaceOf(scenario);
      await world.client.create(Job, {
        metadata: {
          ...{ namespace: space.namespace, name: "once" },
          annotations: { "reloader.stakater.com/job-policy": "recreate" },
        },
        spec: {
          template: {
            metadata: { annotations: { "hollow.keelson.dev/run": "forever" } },
            spec: { restartPolicy: "Never", containers },
          },
        },
      });
      await createConfigs(space, { targets: [{ kind: "Job", name: "once" }] });
    },
    act: changeSecret,
    isSettled: (scenario, stage) => hasReloaded(scenario, stage === "prepared" ? 0 : 1),
    outcome,
    checkReport: writesTo(/^create jobs\.batch /),
  },
};

describe("the Reloader operator", () => {
  const options = {
    operator: reloader.withSettings({ coalesceWindow: "50ms" }),
    world: () => world,
    scenarios,
    failingWrites: "reloadrecords",
    specEdits,
  };
  for (const { title, timeoutMs, check } of operatorContract(options))
    it(title, { timeout: timeoutMs }, check);
});
