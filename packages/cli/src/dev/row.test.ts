import { describe, expect, it } from "vitest";
import { awaitedRow, rowOf, usualProgress } from "./row.ts";

const identity = { id: "webapps.example.com default/web", title: "webapp/web", namespace: "default" };
const object = {
  apiVersion: "example.com/v1",
  kind: "WebApp",
  metadata: { name: "web", creationTimestamp: "2026-01-02T03:04:05Z" },
};

describe("a row", () => {
  it("shows the progress that its operator reports", () => {
    const progress = { phase: "Ready", ready: "3/3", isSettled: true };
    const event = { atMs: 1, reason: "Scaled", message: "to 3", isWarning: false };
    expect(rowOf(identity, object, () => progress, event)).toEqual({
      ...{ ...identity, ...progress, problem: undefined, event },
      createdMs: Date.UTC(2026, 0, 2, 3, 4, 5),
    });
  });

  it("has a problem if its operator cannot report its progress", () => {
    const progressOf = (): never => {
      throw new Error("status is undefined");
    };
    expect(rowOf(identity, object, progressOf, undefined)).toMatchObject({
      phase: "Unknown",
      isSettled: false,
      problem: "its operator cannot report its progress: status is undefined",
    });
  });

  it("is not settled as long as its object is to come", () => {
    expect(awaitedRow(identity)).toMatchObject({ ...identity, phase: "Awaited", isSettled: false });
  });
});

const ready = { type: "Ready", status: "True", reason: "AllUp" };
const notReady = { type: "Ready", status: "False", reason: "NoPods" };

it.each([
  ["Created", false, undefined],
  ["Known", true, { readyReplicas: 1 }],
  ["Running", true, { phase: "Running" }],
  ["Ready", true, { conditions: [{ type: "Synced", status: "False" }, ready] }],
  ["NoPods", false, { conditions: [notReady, { type: "Available", status: "True" }] }],
  ["NotReady", false, { conditions: [{ type: "Available", status: "Unknown" }] }],
  ["Failed", false, { phase: "Failed", conditions: [notReady] }],
  ["Known", true, { phase: 7, conditions: "odd" }],
])("shows %s for a usual status (settled: %s)", (phase, isSettled, status) => {
  const object = { apiVersion: "example.com/v1", kind: "App", metadata: { name: "web" } };
  expect(usualProgress({ ...object, ...(status !== undefined && { status }) })).toEqual({ phase, isSettled });
});
