import { expect, it } from "vitest";
import { describePingPong, type PingPongReport } from "./ping-pong-report.ts";

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

it("names the field, both writers and what to do", () => {
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
      "field spec.replicas of Deployment shop/web flips between webapp-operator and somebody unknown (FORBIDDEN); see managedFields of the object for who sets it",
    ]
  `);
});
