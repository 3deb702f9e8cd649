import { expect, it } from "vitest";
import {
  describeNoopWrites,
  describePingPong,
  describeSelfWoken,
  type PingPongReport,
} from "./hot-loop-reports.ts";

const report: PingPongReport = {
  controller: "webapp",
  keyText: "shop/web",
  object: "Deployment shop/web",
  field: "spec.replicas",
  flips: 3,
  ownManager: "webapp-operator",
  otherManagers: [{ manager: "kubectl-edit", operation: "Update" }],
  holdMs: 1000,
};

it("the message of a ping-pong names the field, both writers and what to do", () => {
  const two = [...report.otherManagers, ...report.otherManagers, { manager: "hpa" }];
  const reports = [
    report,
    { ...report, otherManagers: two },
    { ...report, otherManagers: [] },
    { ...report, otherManagers: [], unknownBecause: "FORBIDDEN" },
  ];
  expect(reports.map(describePingPong)).toMatchInlineSnapshot(`
    [
      "field spec.replicas of Deployment shop/web flips between webapp-operator and kubectl-edit; leave the field out of what webapp-operator writes, or keep kubectl-edit from setting it",
      "field spec.replicas of Deployment shop/web flips between webapp-operator and kubectl-edit and hpa; leave the field out of what webapp-operator writes, or keep kubectl-edit and hpa from setting it",
      "field spec.replicas of Deployment shop/web flips between webapp-operator and another writer of the same field manager name; let only one key or controller set it, and give each controller a field owner of its own",
      "field spec.replicas of Deployment shop/web flips between webapp-operator and an unknown writer (FORBIDDEN); see managedFields of the object for the manager that sets it",
    ]
  `);
});

it("the message of a self-woken key names the object, what changes and what to do", () => {
  const report = {
    controller: "webapp",
    keyText: "shop/web",
    object: "WebApp shop/web",
    fields: ["status.checkedAt", "status.runs"],
    runs: 20,
    windowMs: 10_000,
    holdMs: 1000,
  };
  expect(describeSelfWoken(report)).toBe(
    "write WebApp shop/web: 20 runs within 10 s changed it (status.checkedAt, status.runs) and no other writer is known; " +
      "a write that changes something triggers every controller that watches the object: write only what differs, " +
      "leave times and counters out, or ignore such changes with a predicate",
  );
});

it("the message of no-op writes names the object and what to do", () => {
  expect(describeNoopWrites("deployments.apps shop/web", 20, 10_000)).toBe(
    "write deployments.apps shop/web: 20 runs within 10 s wrote it and changed nothing; " +
      "skip the write when nothing differs from the stored object, or run less often",
  );
});
