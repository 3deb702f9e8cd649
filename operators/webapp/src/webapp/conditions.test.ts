import type { DeploymentCondition } from "keelson/kinds/apps/v1";
import { describe, expect, it } from "vitest";
import { type ConditionFacts, conditionsOf } from "./conditions.ts";
import { rolloutOf } from "./rollout.ts";

/** A Deployment of 2 pods that has such conditions. */
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

function told(given: ConditionFacts): Readonly<Record<string, string>> {
  const all = conditionsOf(given, 7);
  expect(all.map(({ observedGeneration }) => observedGeneration)).toEqual([7, 7, 7]);
  return Object.fromEntries(all.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

const available = { type: "Available", status: "True" };
const taken = { reason: "NameTaken", message: "Service web is taken" } as const;
const going = { reason: "WaitingForDeletion", message: "Ingress web goes" } as const;

describe("the conditions of a WebApp", () => {
  it("are all well when all pods are available", () => {
    expect(told(facts([available], 2))).toEqual({
      Available: "True MinimumReplicasAvailable",
      Progressing: "True NewReplicaSetAvailable",
      Degraded: "False AsExpected",
    });
  });

  it("say that a rollout is under way", () => {
    expect(told(facts([]))).toEqual({
      Available: "False MinimumReplicasUnavailable",
      Progressing: "True ReplicaSetUpdated",
      Degraded: "False AsExpected",
    });
  });

  it("say that a rollout is stuck, though enough of the pods before it are available", () => {
    const stuck = { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" };
    expect(told(facts([available, stuck]))).toEqual({
      Available: "True MinimumReplicasAvailable",
      Progressing: "False ProgressDeadlineExceeded",
      Degraded: "True ProgressDeadlineExceeded",
    });
  });

  it("say that somebody has paused the Deployment", () => {
    expect(told(facts([available], 1, true)).Progressing).toBe("Unknown DeploymentPaused");
  });

  it("say why no pods can be made", () => {
    const failure = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "no quota" };
    const degraded = conditionsOf(facts([failure], 0), 1).find(({ type }) => type === "Degraded");
    expect(degraded).toMatchObject({ status: "True", reason: "ReplicaFailure", message: "no quota" });
  });

  it("name everything that is in the way, and do not complain of what passes by itself", () => {
    const blocked = conditionsOf({ ...facts([]), problems: [taken, going] }, 1);
    expect(blocked.slice(1)).toMatchObject([
      { status: "False", reason: "NameTaken", message: "Service web is taken; Ingress web goes" },
      { status: "True", reason: "NameTaken", message: "Service web is taken" },
    ]);
    expect(told({ ...facts([]), problems: [going] })).toMatchObject({
      Progressing: "True WaitingForDeletion",
      Degraded: "False AsExpected",
    });
  });

  it("do not call a rollout done if what is wanted could not be applied", () => {
    expect(told({ ...facts([available], 2), isApplied: false })).toMatchObject({
      Progressing: "True Reconciling",
      Degraded: "False AsExpected",
    });
  });

  it("say that there is no Deployment, and that the WebApp goes", () => {
    expect(told({ isDeleting: true, rollout: undefined, problems: [], isApplied: false })).toEqual({
      Available: "False MinimumReplicasUnavailable",
      Progressing: "False Deleting",
      Degraded: "False AsExpected",
    });
  });
});
