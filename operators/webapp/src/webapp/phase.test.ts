import { describe, expect, it } from "vitest";
import type { Phase } from "../api/status.ts";
import { type PhaseFacts, phaseOf } from "./phase.ts";
import { type Rollout, rolloutOf } from "./rollout.ts";

interface Numbers {
  readonly desired?: number;
  readonly total?: number;
  readonly updated?: number;
  readonly available?: number;
  readonly observed?: number;
  readonly reason?: string;
}

function rollout(numbers: Numbers): Rollout {
  const { desired = 3, total = 3, updated = 3, available = 3, observed = 2 } = numbers;
  const { reason = "NewReplicaSetAvailable" } = numbers;
  return rolloutOf({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", generation: 2 },
    spec: { replicas: desired, selector: {}, template: {} },
    status: {
      observedGeneration: observed,
      replicas: total,
      updatedReplicas: updated,
      availableReplicas: available,
      conditions: [{ type: "Progressing", status: "True", reason }],
    },
  });
}

function phase(numbers: Numbers | undefined, facts: Partial<PhaseFacts> = {}): Phase {
  return phaseOf({
    isDeleting: false,
    isBlocked: false,
    previous: "Ready",
    rollout: numbers === undefined ? undefined : rollout(numbers),
    ...facts,
  });
}

describe("the phase of a WebApp", () => {
  it("is Created until the first reconcile", () => {
    expect(phase(undefined, { previous: undefined })).toBe("Created");
  });

  it("is Deleting in every state of the rollout", () => {
    expect(phase({}, { isDeleting: true, previous: undefined })).toBe("Deleting");
    expect(phase({}, { isDeleting: true, isBlocked: true })).toBe("Deleting");
  });

  it("is Reconciling without a Deployment, with one that its controller has not observed, and while it is blocked", () => {
    expect(phase(undefined)).toBe("Reconciling");
    expect(phase({ observed: 1 })).toBe("Reconciling");
    expect(phase({}, { isBlocked: true })).toBe("Reconciling");
  });

  it("is WaitingForPodsReady while a rollout is under way", () => {
    expect(phase({ reason: "ReplicaSetUpdated", updated: 1 })).toBe("WaitingForPodsReady");
    expect(phase({ reason: "NewReplicaSetAvailable", updated: 1 })).toBe("WaitingForPodsReady");
    expect(phase({ reason: "NewReplicaSetCreated", total: 0, updated: 0, available: 0 })).toBe(
      "WaitingForPodsReady",
    );
  });

  it("is WaitingForPodsReady when pods that were available are lost", () => {
    expect(phase({ available: 2 })).toBe("WaitingForPodsReady");
    expect(phase({ available: 2 }, { previous: "WaitingForPodsReady" })).toBe("WaitingForPodsReady");
  });

  it("is Scaling while only the number of pods differs, and until the last of them is available", () => {
    expect(phase({ desired: 5 })).toBe("Scaling");
    expect(phase({ desired: 1 })).toBe("Scaling");
    expect(phase({ desired: 5, observed: 1 })).toBe("Scaling");
    expect(phase({ desired: 5, total: 5, updated: 5, available: 4 }, { previous: "Scaling" })).toBe(
      "Scaling",
    );
    expect(phase({ desired: 5, total: 5, updated: 5, available: 4 }, { previous: "Reconciling" })).toBe(
      "Scaling",
    );
  });

  it("is Ready when exactly the desired pods are available, and when none are desired", () => {
    expect(phase({})).toBe("Ready");
    expect(phase({ desired: 0, total: 0, updated: 0, available: 0 })).toBe("Ready");
    expect(phase({ total: 4 })).not.toBe("Ready");
  });
});
