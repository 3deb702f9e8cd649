import { seededRandom } from "@keelson/core";
import { CronJob, Job } from "@keelson/core/kinds/batch/v1";
import { Pod } from "@keelson/core/kinds/core/v1";
import { VirtualClock } from "@keelson/testkit";
import { expect, it } from "vitest";
import { createSandbox } from "./create-sandbox.ts";
import type { ObjectApi } from "./server/write/object-api.ts";

const tester = { manager: "tester" };
const fiveMinutesMs = 5 * 60_000;

/** What a node would do: every pod that is there ends well. */
async function completePods(objects: ObjectApi): Promise<void> {
  for (const pod of objects.list(Pod, "default")) {
    if (pod.status?.phase === "Succeeded") continue;
    const status = { ...pod.status, phase: "Succeeded" } as const;
    await objects.update(Pod, { ...pod, status }, { ...tester, subresource: "status" });
  }
}

const everyFiveMinutes: CronJob = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "tidy", namespace: "default" },
  spec: {
    schedule: "*/5 * * * *",
    jobTemplate: {
      spec: {
        template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "tidy:1" }] } },
      },
    },
  },
};

it("runs a day of a CronJob on a virtual clock, and leaves three Jobs", async () => {
  const clock = new VirtualClock();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  await using sandbox = await createSandbox({ clock, random: seededRandom(1), onError });
  const { objects } = sandbox;
  await objects.create(CronJob, everyFiveMinutes, tester);
  const names = new Set<string | undefined>();
  for (let run = 0; run < 288; run += 1) {
    await clock.advance(run === 0 ? fiveMinutesMs + 1_000 : fiveMinutesMs);
    for (const { metadata } of objects.list(Job, "default")) names.add(metadata.name);
    await completePods(objects);
  }
  await clock.advance(60_000);
  expect(errors).toEqual([]);
  expect(names.size).toBe(288);
  expect(objects.list(Job, "default").map(({ status }) => status?.succeeded)).toEqual([1, 1, 1]);
  expect(objects.list(Pod, "default")).toHaveLength(3);
}, 180_000);
