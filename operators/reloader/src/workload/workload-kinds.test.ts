import type { GenericObject, Stored } from "keelson";
import { describe, expect, it } from "vitest";
import { annotationKeys } from "../api/annotation-keys.ts";
import { type WorkloadKindName, workloadKindNames } from "./workload-kind.ts";
import { ineligibility, referencedDeployment, workloadKinds, workloadOf } from "./workload-kinds.ts";

const keys = annotationKeys();
const template = { spec: { containers: [{ name: "app" }] } };

function object(kind: WorkloadKindName, fields: object = {}, metadata: object = {}): Stored<GenericObject> {
  return {
    ...{ apiVersion: "example.com/v1", kind, spec: { template }, ...fields },
    metadata: {
      ...{ namespace: "shop", name: "web", uid: "uid-1", resourceVersion: "1" },
      ...{ creationTimestamp: "2026-11-18T09:00:00Z", ...metadata },
    },
  };
}

describe("the pod template", () => {
  it.each(workloadKindNames)("of a %s is found", (kind) => {
    const spec = kind === "CronJob" ? { jobTemplate: { spec: { template } } } : { template };
    const workload = workloadOf(kind, object(kind, { spec }));
    expect(workload.template).toBe(template);
    expect(workload.resource).toMatchObject({ kind });
    expect(workload.templatePointer).toBe(
      kind === "CronJob" ? "/spec/jobTemplate/spec/template" : "/spec/template",
    );
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a text", "x"],
    ["no spec", {}],
    ["no containers", { spec: {} }],
    ["containers that are no list", { spec: { containers: {} } }],
    ["a container without a name", { spec: { containers: [{}] } }],
    ["variables that are no list", { spec: { containers: [{ name: "a", env: {} }] } }],
    ["a variable without a name", { spec: { containers: [{ name: "a", env: [{ value: "x" }] }] } }],
    ["volumes that are no list", { spec: { containers: [{ name: "a" }], volumes: 1 } }],
    [
      "sources that are no list",
      { spec: { containers: [], volumes: [{ name: "v", projected: { sources: 1 } }] } },
    ],
    ["annotations that are no texts", { metadata: { annotations: { a: 1 } }, spec: { containers: [] } }],
  ])("is none if a Rollout has %s in its place", (_title, garbage) => {
    expect(
      workloadOf("Rollout", object("Rollout", { spec: { template: garbage } })).template,
    ).toBeUndefined();
  });
});

it.each([
  ["a Deployment", { workloadRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } }, "web"],
  ["another kind", { workloadRef: { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web" } }, undefined],
  ["no name", { workloadRef: { kind: "Deployment" } }, undefined],
  ["garbage", { workloadRef: "web" }, undefined],
  ["nothing", { template }, undefined],
])("the workloadRef of a Rollout names %s", (_title, spec, expected) => {
  expect(referencedDeployment(object("Rollout", { spec }))).toBe(expected);
});

it("only the kinds of other projects may be missing", () => {
  const optional = Object.values(workloadKinds).filter(({ resource }) => resource.isOptional);
  expect(optional.map(({ name }) => name)).toEqual(["Rollout", "DeploymentConfig"]);
});

describe("a workload that is never reloaded", () => {
  const recreate = { annotations: { [keys.jobPolicy]: "recreate" } };
  const controlledBy = (kind: string) => ({
    ownerReferences: [{ apiVersion: "v1", kind, name: "owner", uid: "uid-2", controller: true }],
  });
  const condition = (type: string, status: string) => ({ status: { conditions: [{ type, status }] } });

  it.each<[string, WorkloadKindName, object, object, string | undefined]>([
    ["is being deleted", "Deployment", {}, { deletionTimestamp: "2026-11-18T09:00:00Z" }, "is being deleted"],
    ["has no template", "Rollout", { spec: {} }, {}, "has no pod template"],
    [
      "is controlled by a ReplicaSet",
      "Deployment",
      {},
      controlledBy("ReplicaSet"),
      "is controlled by ReplicaSet owner",
    ],
    [
      "is a Job without a policy",
      "Job",
      {},
      {},
      "does not have annotation reloader.stakater.com/job-policy: recreate",
    ],
    [
      "is a Job of a CronJob",
      "Job",
      {},
      { ...recreate, ...controlledBy("CronJob") },
      "was started by CronJob owner",
    ],
    ["is a complete Job", "Job", condition("Complete", "True"), recreate, "has finished"],
    ["is a failed Job", "Job", condition("Failed", "True"), recreate, "has finished"],
    ["is a Job about to fail", "Job", condition("FailureTarget", "True"), recreate, "has finished"],
  ])("%s", (_title, kind, fields, metadata, expected) => {
    expect(ineligibility(workloadOf(kind, object(kind, fields, metadata)), keys)).toBe(
      `${kind} shop/web ${expected}`,
    );
  });

  it.each<[string, WorkloadKindName, object, object]>([
    ["a Deployment of another operator", "Deployment", {}, controlledBy("Shop")],
    [
      "a Rollout with a workloadRef",
      "Rollout",
      { spec: { workloadRef: { kind: "Deployment", name: "a" } } },
      {},
    ],
    ["a running Job with the policy", "Job", condition("Complete", "False"), recreate],
    ["a suspended CronJob", "CronJob", { spec: { suspend: true, jobTemplate: { spec: { template } } } }, {}],
  ])("is not %s", (_title, kind, fields, metadata) => {
    expect(ineligibility(workloadOf(kind, object(kind, fields, metadata)), keys)).toBeUndefined();
  });
});
