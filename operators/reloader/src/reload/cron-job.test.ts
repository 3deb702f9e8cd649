import type { Stored } from "keelson";
import type { CronJob } from "keelson/kinds/batch/v1";
import { expect, it } from "vitest";
import { makeJob } from "./cron-job.ts";
import type { ReloadRequest } from "./reload-request.ts";

const containers = [{ name: "app" }];

const cronJob: Stored<CronJob> = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: {
    uid: "uid-1",
    resourceVersion: "1",
    creationTimestamp: "2026-11-18T09:00:00Z",
    namespace: "shop",
    name: "n".repeat(52),
  },
  spec: {
    schedule: "0 0 * * *",
    jobTemplate: {
      metadata: { labels: { app: "shop" }, annotations: { note: "1" } },
      spec: { template: { spec: { containers } } },
    },
  },
};

it("the Job that a CronJob runs at once is as one of kubectl", () => {
  const { metadata, spec } = makeJob(cronJob, { hash: "hash", previousReloads: 0 });
  expect(metadata).toMatchObject({
    ...{ namespace: "shop", labels: { app: "shop" } },
    annotations: { note: "1", "cronjob.kubernetes.io/instantiate": "manual" },
    ownerReferences: [{ kind: "CronJob", name: cronJob.metadata.name, uid: "uid-1", controller: true }],
  });
  expect(spec).toEqual({ template: { spec: { containers } } });
});

it("each reload of a CronJob has one Job, however often it is tried", () => {
  const nameOf = (reload: Pick<ReloadRequest, "hash" | "previousReloads">) =>
    makeJob(cronJob, reload).metadata.name;
  const first = nameOf({ hash: "hash", previousReloads: 0 });
  expect(first).toHaveLength(63);
  expect(nameOf({ hash: "hash", previousReloads: 0 })).toBe(first);
  expect(nameOf({ hash: "hash", previousReloads: 2 })).not.toBe(first);
  expect(nameOf({ hash: "other", previousReloads: 0 })).not.toBe(first);
});
