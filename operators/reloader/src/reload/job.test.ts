import type { Stored } from "keelson";
import type { Job } from "keelson/kinds/batch/v1";
import { expect, it } from "vitest";
import { annotationKeys } from "../api/annotation-keys.ts";
import { workloadOf } from "../workload/workload-kinds.ts";
import { makeSuccessor } from "./job.ts";
import type { ReloadRequest } from "./reload-request.ts";

const keys = annotationKeys();
const stored = { uid: "uid-1", resourceVersion: "1", creationTimestamp: "2026-11-18T09:00:00Z" };
const generated = {
  "controller-uid": "uid-1",
  "job-name": "migrate",
  "batch.kubernetes.io/controller-uid": "uid-1",
  "batch.kubernetes.io/job-name": "migrate",
};
const owner = { apiVersion: "example.com/v1", kind: "Shop", name: "shop", uid: "uid-2", controller: true };
const containers = [{ name: "app" }];

function request(object: Stored, strategy: ReloadRequest["strategy"]): ReloadRequest {
  return {
    workload: workloadOf("Job", object),
    strategy,
    changes: [
      {
        resource: { kind: "Secret", namespace: "shop", name: "db" },
        ...{ from: "old", to: "new", upstreamHash: "sha1", isExplicit: true },
      },
    ],
    ...{ time: "2026-11-18T10:00:00.000Z", hash: "hash", previousReloads: 0 },
  };
}

const job: Stored<Job> = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: {
    ...{ ...stored, namespace: "shop", name: "migrate", generation: 1 },
    labels: { app: "shop", ...generated },
    annotations: { [keys.jobPolicy]: "recreate" },
    finalizers: ["example.com/audit", "foregroundDeletion"],
    ownerReferences: [{ ...owner, blockOwnerDeletion: true }],
  },
  spec: {
    backoffLimit: 3,
    selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "uid-1" } },
    template: { metadata: { labels: { app: "shop", ...generated } }, spec: { containers } },
  },
  status: { active: 1 },
};

it("the successor of a Job has nothing that the server has set", () => {
  expect(makeSuccessor(job, request(job, "restart"), keys)).toEqual({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      ...{ namespace: "shop", name: "migrate", labels: { app: "shop" } },
      annotations: { [keys.jobPolicy]: "recreate" },
      finalizers: ["example.com/audit"],
      ownerReferences: [owner],
    },
    spec: { backoffLimit: 3, template: { metadata: { labels: { app: "shop" } }, spec: { containers } } },
  });
});

it("the successor of a Job keeps a selector that the user chose", () => {
  const selector = { matchLabels: { app: "shop" } };
  const chosen = { ...job, spec: { manualSelector: true, selector, template: { spec: { containers } } } };
  expect(makeSuccessor(chosen, request(chosen, "restart"), keys).spec?.selector).toEqual(selector);
});

it("the successor of a Job shows what it was created for", () => {
  const template = makeSuccessor(job, request(job, "env-vars"), keys).spec?.template;
  expect(template?.spec?.containers).toEqual([
    { name: "app", env: [{ name: "RELOADER_TRIGGERED_AT", value: "2026-11-18T10:00:00.000Z" }] },
  ]);
  expect(template?.metadata?.annotations?.[keys.resourceHash]).toBe("hash");
});
