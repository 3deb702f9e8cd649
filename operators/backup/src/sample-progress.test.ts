import { describe, expect, it } from "vitest";
import type { BackUpStatus } from "./api/status.ts";
import { backupProgress } from "./sample-progress.ts";

function progressOf(spec: object, status?: BackUpStatus) {
  const object = { apiVersion: "backup.keelson.dev/v1", kind: "BackUp", metadata: { name: "mine" } };
  return backupProgress({ ...object, spec, ...(status !== undefined && { status }) });
}

describe("the progress of a BackUp", () => {
  const image = "backup:1";

  it("is Pending before the operator has written a status", () => {
    expect(progressOf({ image })).toEqual({ phase: "Pending", isSettled: false });
  });

  it("counts the workers that have succeeded", () => {
    expect(progressOf({ image, replicas: 3 }, { phase: "Running", completed: 1 })).toEqual({
      phase: "Running",
      ready: "1/3",
      isSettled: false,
    });
    expect(progressOf({ image }, { phase: "Succeeded", completed: 1 })).toMatchObject({ isSettled: true });
  });

  it("is settled if it waits for its schedule", () => {
    const nextRunTime = "2026-01-02T01:30:00Z";
    expect(progressOf({ image, schedule: "@daily" }, { phase: "Pending", nextRunTime })).toEqual({
      phase: "Scheduled",
      isSettled: true,
    });
  });

  it("has the problem of a BackUp that failed", () => {
    const condition = { lastTransitionTime: "2026-01-01T00:00:00Z", reason: "Why" };
    const failed = {
      ...condition,
      type: "Succeeded",
      status: "False" as const,
      message: "Job job-mine failed",
    };
    const degraded = { ...condition, type: "Degraded", status: "True" as const, message: "it is taken" };
    expect(progressOf({ image }, { phase: "Failed", conditions: [failed] })).toMatchObject({
      isSettled: false,
      problem: "Job job-mine failed",
    });
    expect(progressOf({ image }, { phase: "Failed", conditions: [failed, degraded] })).toMatchObject({
      problem: "it is taken",
    });
  });
});
