import type { GenericObject } from "keelson";
import { describe, expect, it } from "vitest";
import { progressOf } from "./progress.ts";

function progress(status: object | undefined, spec: object = { replicas: 3 }): ReturnType<typeof progressOf> {
  const object: GenericObject = {
    ...{ apiVersion: "example.com/v1", kind: "WebApp", metadata: { generation: 2 }, spec },
    ...(status !== undefined && { status }),
  };
  return progressOf(object);
}

describe("the progress of a sample", () => {
  it("is Created before the operator has written a status", () => {
    expect(progress(undefined)).toEqual({ phase: "Created", ready: "0/3", isSettled: false });
  });

  it("is settled when the last spec is ready", () => {
    const status = { phase: "Ready", availableReplicas: 3, replicas: 3, observedGeneration: 2 };
    expect(progress(status)).toEqual({ phase: "Ready", ready: "3/3", isSettled: true });
    expect(progress({ ...status, observedGeneration: 1 }).isSettled).toBe(false);
    expect(progress({ ...status, phase: "Scaling" }).isSettled).toBe(false);
  });

  it("counts the existing pods if an autoscaler chooses their number", () => {
    const status = { phase: "Ready", availableReplicas: 2, replicas: 2, observedGeneration: 2 };
    expect(progress(status, { replicas: 1, autoscaling: { maxReplicas: 5 } }).ready).toBe("2/2");
  });

  it("has the message of the condition Degraded", () => {
    const degraded = {
      ...{ type: "Degraded", status: "True", reason: "NameTaken", message: "it is taken" },
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    expect(progress({ phase: "Reconciling", conditions: [degraded] }).problem).toBe("it is taken");
  });
});
