import { expect, it } from "vitest";
import { usualProgress } from "./usual-progress.ts";

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
])("tells %s of a usual status (settled: %s)", (phase, isSettled, status) => {
  const object = { apiVersion: "example.com/v1", kind: "App", metadata: { name: "web" } };
  expect(usualProgress({ ...object, ...(status !== undefined && { status }) })).toEqual({ phase, isSettled });
});
