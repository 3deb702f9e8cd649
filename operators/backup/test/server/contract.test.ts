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
import { isControlledBy } from "keelson";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BackUp } from "../../src/api/back-up.ts";
import type { BackUpSpecInput } from "../../src/api/spec.ts";
import { backup } from "../../src/operator.ts";
import { endless } from "../support/space.ts";
import { specEdits } from "../support/spec-edits.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(() => world?.stop());

const name = "mybackup";

async function create({ client, namespace }: ScenarioWorld, spec: BackUpSpecInput): Promise<void> {
  await client.create(BackUp, { metadata: { namespace, name }, spec });
}

async function change({ cluster, namespace }: ScenarioWorld, spec: object): Promise<void> {
  const patch = JSON.stringify({ spec });
  await cluster.kubectl(["-n", namespace, "patch", "bks", name, "--type=merge", "-p", patch]);
}

/** Whether the status describes the last spec, with this phase and this number of successful runs. */
async function isAt(
  { client, namespace }: ScenarioWorld,
  phase: string,
  successes: number,
): Promise<boolean> {
  const { metadata, status } = await client.get(BackUp, { namespace, name });
  const isCurrent = status?.observedGeneration === metadata.generation;
  return isCurrent && status?.phase === phase && status.successes === successes;
}

/** The final state, without what depends on timing. */
async function outcome({ client, namespace }: ScenarioWorld): Promise<unknown> {
  const [backups, jobs, cronJobs] = await Promise.all([
    client.list(BackUp, { namespace }),
    client.list(Job, { namespace }),
    client.list(CronJob, { namespace }),
  ]);
  const statuses = backups.items.map(({ metadata, spec, status }) => ({
    metadata: { name: metadata.name, namespace },
    spec,
    status: {
      ...status,
      lastDuration: "",
      nextRunTime: "",
      history: status?.history?.map((entry) => ({ ...entry, duration: "" })),
      conditions: status?.conditions?.map(({ type, status: is, reason }) => ({ type, is, reason })),
    },
  }));
  const owned = [...jobs.items, ...cronJobs.items].map(({ metadata, spec }) => ({
    metadata: { name: metadata.name, namespace },
    spec,
    marks: [metadata.labels, metadata.annotations],
  }));
  return normalized([...statuses, ...owned].map((object) => ({ ...object, apiVersion: "v1", kind: "Any" })));
}

function checkReport({ writes, crashes }: CrashReport): void {
  expect(writes.map(describeWrite)).toContainEqual(
    expect.stringMatching(/^(apply|patch) (cron)?jobs\.batch /),
  );
  expect(crashes.length).toBeGreaterThan(2);
}

const scenarios: Readonly<Record<string, ContractScenario>> = {
  "a run, and another one with a new image": {
    prepare: (scenario) => create(scenario, { image: "backup:1" }),
    act: (scenario) => change(scenario, { image: "backup:2" }),
    isSettled: (scenario, stage) => isAt(scenario, "Succeeded", stage === "prepared" ? 1 : 2),
    eventReasons: ["CreatedJob", "JobSucceeded"],
    outcome,
    checkReport,
  },
  "a run is replaced before it ends": {
    prepare: (scenario) => create(scenario, { image: "backup:1", updatePolicy: "Replace", ...endless }),
    act: (scenario) => change(scenario, { image: "backup:2", podAnnotations: null }),
    isSettled: (scenario, stage) =>
      stage === "prepared" ? isAt(scenario, "Running", 0) : isAt(scenario, "Succeeded", 1),
    outcome,
    checkReport,
  },
  "a schedule is added": {
    prepare: (scenario) => create(scenario, { image: "backup:1" }),
    act: (scenario) => change(scenario, { schedule: "0 0 1 1 *" }),
    isSettled: async (scenario, stage) => {
      const { items } = await scenario.client.list(Job, { namespace: scenario.namespace });
      return items.length === (stage === "prepared" ? 1 : 0) && (await isAt(scenario, "Succeeded", 1));
    },
    outcome,
    checkReport,
  },
  "the run of a schedule is replaced before it ends": {
    prepare: async (scenario) => {
      const { client, cluster, namespace } = scenario;
      await create(scenario, {
        image: "backup:1",
        schedule: "0 0 1 1 *",
        updatePolicy: "Replace",
        ...endless,
      });
      await expect.poll(async () => (await client.list(CronJob, { namespace })).items.length).toBe(1);
      await cluster.kubectl(["-n", namespace, "create", "job", "by-hand", `--from=cronjob/job-${name}`]);
    },
    act: (scenario) => change(scenario, { image: "backup:2", podAnnotations: null }),
    isSettled: async (scenario, stage) => {
      if (stage === "prepared") return isAt(scenario, "Running", 0);
      const { items } = await scenario.client.list(Job, { namespace: scenario.namespace });
      return items.length === 0 && (await isAt(scenario, "Succeeded", 1));
    },
    outcome,
    checkReport,
  },
  "a schedule is removed": {
    prepare: (scenario) => create(scenario, { image: "backup:1", schedule: "0 0 1 1 *" }),
    act: (scenario) => change(scenario, { schedule: null }),
    isSettled: (scenario, stage) =>
      stage === "prepared" ? isAt(scenario, "Pending", 0) : isAt(scenario, "Succeeded", 1),
    outcome,
    checkReport,
  },
  "a BackUp is deleted without its Job and created again": {
    prepare: (scenario) => create(scenario, { image: "backup:1" }),
    act: async (scenario) => {
      const { cluster, namespace } = scenario;
      await cluster.kubectl(["-n", namespace, "delete", "bks", name, "--cascade=orphan"]);
      await create(scenario, { image: "backup:1" });
    },
    isSettled: async (scenario) => {
      const { client, namespace } = scenario;
      const made = await client.get(BackUp, { namespace, name });
      const job = await client.get(Job, { namespace, name: `job-${name}` });
      return isControlledBy(job, made) && (await isAt(scenario, "Succeeded", 1));
    },
    outcome,
    checkReport,
  },
};

describe("the BackUp operator", () => {
  const options = { operator: backup, world: () => world, scenarios, failingWrites: "jobs", specEdits };
  for (const { title, timeoutMs, check } of operatorContract(options))
    it(title, { timeout: timeoutMs }, check);
});
