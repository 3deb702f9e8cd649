import {
  type CrashScenario,
  crashAtEveryWrite,
  describeWrite,
  normalized,
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

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(() => world?.stop());

type Place = Parameters<CrashScenario["prepare"]>[0];

const name = "mybackup";

async function create({ client, namespace }: Place, spec: BackUpSpecInput): Promise<void> {
  await client.create(BackUp, { metadata: { namespace, name }, spec });
}

async function change({ cluster, namespace }: Place, spec: object): Promise<void> {
  const patch = JSON.stringify({ spec });
  await cluster.kubectl(["-n", namespace, "patch", "bks", name, "--type=merge", "-p", patch]);
}

/** The operator has seen the last spec, and these many runs have ended well. */
async function isAt({ client, namespace }: Place, phase: string, successes: number): Promise<boolean> {
  const { metadata, status } = await client.get(BackUp, { namespace, name });
  const isCurrent = status?.observedGeneration === metadata.generation;
  return isCurrent && status?.phase === phase && status.successes === successes;
}

/** What there is in the end, without what depends on how fast it was. */
async function outcome({ client, namespace }: Place): Promise<unknown> {
  const [backups, jobs, cronJobs] = await Promise.all([
    client.list(BackUp, { namespace }),
    client.list(Job, { namespace }),
    client.list(CronJob, { namespace }),
  ]);
  const told = backups.items.map(({ metadata, spec, status }) => ({
    metadata: { name: metadata.name ?? "", namespace },
    spec,
    status: {
      ...status,
      lastDuration: "",
      nextRunTime: "",
      history: status?.history?.map((entry) => ({ ...entry, duration: "" })),
      conditions: status?.conditions?.map(({ type, status: is, reason }) => ({ type, is, reason })),
    },
  }));
  const made = [...jobs.items, ...cronJobs.items].map(({ metadata, spec }) => ({
    metadata: { name: metadata.name ?? "", namespace },
    spec,
    marks: [metadata.labels, metadata.annotations],
  }));
  return normalized([...told, ...made].map((object) => ({ ...object, apiVersion: "v1", kind: "Any" })));
}

const scenarios: readonly (readonly [string, CrashScenario])[] = [
  [
    "of a run and of another one with a new image",
    {
      prepare: (place) => create(place, { image: "backup:1" }),
      act: (place) => change(place, { image: "backup:2" }),
      isSettled: (place, stage) => isAt(place, "Succeeded", stage === "prepared" ? 1 : 2),
      outcome,
    },
  ],
  [
    "of a run that is replaced while it is under way",
    {
      prepare: (place) => create(place, { image: "backup:1", updatePolicy: "Replace", ...endless }),
      act: (place) => change(place, { image: "backup:2", podAnnotations: null }),
      isSettled: (place, stage) =>
        stage === "prepared" ? isAt(place, "Running", 0) : isAt(place, "Succeeded", 1),
      outcome,
    },
  ],
  [
    "of a run that gives way to a schedule",
    {
      prepare: (place) => create(place, { image: "backup:1" }),
      act: (place) => change(place, { schedule: "0 0 1 1 *" }),
      isSettled: async (place, stage) => {
        const { items } = await place.client.list(Job, { namespace: place.namespace });
        return items.length === (stage === "prepared" ? 1 : 0) && (await isAt(place, "Succeeded", 1));
      },
      outcome,
    },
  ],
  [
    "of a schedule whose run is replaced while it is under way",
    {
      prepare: async (place) => {
        const { client, cluster, namespace } = place;
        await create(place, {
          image: "backup:1",
          schedule: "0 0 1 1 *",
          updatePolicy: "Replace",
          ...endless,
        });
        await expect.poll(async () => (await client.list(CronJob, { namespace })).items.length).toBe(1);
        await cluster.kubectl(["-n", namespace, "create", "job", "by-hand", `--from=cronjob/job-${name}`]);
      },
      act: (place) => change(place, { image: "backup:2", podAnnotations: null }),
      isSettled: async (place, stage) => {
        if (stage === "prepared") return isAt(place, "Running", 0);
        const { items } = await place.client.list(Job, { namespace: place.namespace });
        return items.length === 0 && (await isAt(place, "Succeeded", 1));
      },
      outcome,
    },
  ],
  [
    "of a schedule that gives way to a run",
    {
      prepare: (place) => create(place, { image: "backup:1", schedule: "0 0 1 1 *" }),
      act: (place) => change(place, { schedule: null }),
      isSettled: (place, stage) =>
        stage === "prepared" ? isAt(place, "Pending", 0) : isAt(place, "Succeeded", 1),
      outcome,
    },
  ],
  [
    "of a BackUp that is deleted without its Job and made again",
    {
      prepare: (place) => create(place, { image: "backup:1" }),
      act: async (place) => {
        const { cluster, namespace } = place;
        await cluster.kubectl(["-n", namespace, "delete", "bks", name, "--cascade=orphan"]);
        await create(place, { image: "backup:1" });
      },
      isSettled: async (place) => {
        const { client, namespace } = place;
        const made = await client.get(BackUp, { namespace, name });
        const job = await client.get(Job, { namespace, name: `job-${name}` });
        return isControlledBy(job, made) && (await isAt(place, "Succeeded", 1));
      },
      outcome,
    },
  ],
];

describe("an operator that dies after any of its writes", () => {
  it.each(scenarios)(
    "leaves nothing behind that the next one does not finish: the scenario %s",
    { timeout: 400_000 },
    async (_, scenario) => {
      const { cluster } = world;
      const { writes, crashes } = await crashAtEveryWrite(backup, { cluster, scenario });
      expect(writes.map(describeWrite)).toContainEqual(
        expect.stringMatching(/^(apply|patch) (cron)?jobs\.batch /),
      );
      expect(crashes.length).toBeGreaterThan(2);
    },
  );
});
