import type { DeploymentCondition } from "keelson/kinds/apps/v1";
import { describe, expect, it } from "vitest";
import { type ConditionFacts, conditionsOf } from "./conditions.ts";
import { rolloutOf } from "./rollout.ts";

/** The facts of a Deployment of 2 pods with these conditions. */
function facts(conditions: readonly DeploymentCondition[], available = 1, paused = false): ConditionFacts {
  const rollout = rolloutOf({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { generation: 1 },
    spec: { replicas: 2, paused, selector: {}, template: {} },
    status: {
      ...{ observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: available },
      conditions,
    },
  });
  return { isDeleting: false, rollout, problems: [], isApplied: true };
}

function summaryOf(given: ConditionFacts): Readonly<Record<string, string>> {
  const all = conditionsOf(given, 7);
  expect(all.map(({ observedGeneration }) => observedGeneration)).toEqual([7, 7, 7]);
  return Object.fromEntries(all.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

const available = { type: "Available", status: "True" };
const taken = { reason: "NameTaken", message: "Service web is taken" } as const;
const going = { reason: "WaitingForDeletion", message: "Ingress web goes" } as const;

describe("the conditions of a WebApp", () => {
  it("show no problem when all pods are available", () => {
    expect(summaryOf(facts([available], 2))).toEqual({
      Available: "True MinimumReplicasAvailable",
      Progressing: "True NewReplicaSetAvailable",
      Degraded: "False AsExpected",
    });
  });

  it("show that a rollout is under way", () => {
    expect(summaryOf(facts([]))).toEqual({
      Available: "False MinimumReplicasUnavailable",
      Progressing: "True ReplicaSetUpdated",
      Degraded: "False AsExpected",
    });
  });

  it("show that a rollout is stuck, even if enough pods of the earlier version are available", () => {
    const stuck = { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" };
    expect(summaryOf(facts([available, stuck]))).toEqual({
      Available: "True MinimumReplicasAvailable",
      Progressing: "False ProgressDeadlineExceeded",
      Degraded: "True ProgressDeadlineExceeded",
    });
  });

  it("show that the Deployment is paused", () => {
    expect(summaryOf(facts([available], 1, true)).Progressing).toBe("Unknown DeploymentPaused");
  });

  it("show why no pods can be created", () => {
    const failure = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "no quota" };
    const degraded = conditionsOf(facts([failure], 0), 1).find(({ type }) => type === "Degraded");
    expect(degraded).toMatchObject({ status: "True", reason: "ReplicaFailure", message: "no quota" });
  });

  it("name every problem, and are not Degraded for one that passes without an action of a user", () => {
    const blocked = conditionsOf({ ...facts([]), problems: [taken, going] }, 1);
    expect(blocked.slice(1)).toMatchObject([
      { status: "False", reason: "NameTaken", message: "Service web is taken; Ingress web goes" },
      { status: "True", reason: "NameTaken", message: "Service web is taken" },
    ]);
    expect(summaryOf({ ...facts([]), problems: [going] })).toMatchObject({
      Progressing: "True WaitingForDeletion",
      Degraded: "False AsExpected",
    });
  });

  it("do not show a complete rollout if a desired object could not be applied", () => {
    expect(summaryOf({ ...facts([available], 2), isApplied: false })).toMatchObject({
      Progressing: "True Reconciling",
      Degraded: "False AsExpected",
    });
  });

  it("show that the Deployment does not exist, and that the WebApp is being deleted", () => {
    expect(summaryOf({ isDeleting: true, rollout: undefined, problems: [], isApplied: false })).toEqual({
      Available: "False MinimumReplicasUnavailable",
      Progressing: "False Deleting",
      Degraded: "False AsExpected",
    });
  });
});
