import { describe, expect, it } from "vitest";
import type { RotatorSpec, SharedSecretSpec } from "../api/spec.ts";
import type { ConsumerStatus } from "../api/status.ts";
import { PolicyError } from "../policy/policy.ts";
import { approvedCondition, restartedCondition, rotatedCondition, syncedCondition } from "./conditions.ts";
import { problemOf } from "./problem.ts";

const spec: SharedSecretSpec = { rotate: "1h", restart: { allowDeletion: false } };
const policy = { pendingRotateSeconds: undefined, consumers: [] };

describe("Approved", () => {
  it.each([
    ["False", "AwaitingApproval", undefined],
    ["True", "Approved", { rotateSeconds: 3600, by: "ada" }],
    ["True", "PeriodAwaitsApproval", { rotateSeconds: 60 }],
  ])("is %s, %s, with approval %j", (status, reason, approval) => {
    expect(approvedCondition({ ...policy, approval }, spec)).toMatchObject({ status, reason });
  });
});

describe("Synced", () => {
  it("is False with the reason of a policy that is not known", () => {
    const problem = problemOf(new PolicyError("PolicyStale", "read the canister: it is 6 s old"));
    expect(syncedCondition(problem)).toEqual({
      status: "False",
      reason: "PolicyStale",
      message:
        "read the canister: it is 6 s old; the last known decisions stay in force, and nothing is restarted",
    });
  });

  it("is True otherwise; errors that pass by themselves are no problem", () => {
    expect(syncedCondition(problemOf(new Error("socket hang up")))).toMatchObject({ status: "True" });
  });
});

describe("ConsumersRestarted", () => {
  const entry: ConsumerStatus = { consumer: "shop/Deployment/web", permission: "ReadOnly" };
  const round = { startedAt: "2026-11-18T10:00:00.000Z", version: "v1" };

  it("is True when no restart is under way", () => {
    expect(restartedCondition(undefined, [entry])).toMatchObject({ status: "True", reason: "UpToDate" });
  });

  it("is False during a restart", () => {
    expect(restartedCondition(round, [entry])).toMatchObject({ status: "False", reason: "Restarting" });
  });

  it("names the consumers that fail, at most three of them", () => {
    const failing = ["a", "b", "c", "d"].map((name) => ({
      ...entry,
      consumer: `shop/${name}`,
      problem: "held",
    }));
    expect(restartedCondition(round, [entry, ...failing])).toEqual({
      status: "False",
      reason: "RestartFailed",
      message: "shop/a: held; shop/b: held; shop/c: held; and 1 more",
    });
  });
});

describe("Rotated", () => {
  const nowMs = Date.parse("2026-11-18T10:00:00Z");
  const custom: RotatorSpec = { runsIn: "Operator", custom: { name: "acme.dev/redis" } };
  const sidecar: RotatorSpec = { ...custom, runsIn: "Sidecar" };
  const lastTime = "2026-11-18T08:00:00Z";
  const due = { lastTime, nextTime: "2026-11-18T09:00:00Z" };

  it.each([
    ["True", "NotRotated", undefined, undefined, false],
    ["False", "UnknownRotator", custom, undefined, false],
    ["False", "RotationDue", sidecar, undefined, false],
    ["False", "RotationFailed", sidecar, { problem: "refused", failures: 2 }, false],
    ["False", "WaitingForConsumers", sidecar, due, true],
    ["True", "Rotated", sidecar, due, false],
    ["True", "Rotated", sidecar, { lastTime, nextTime: "2026-11-18T11:00:00Z" }, true],
  ] as const)("is %s, %s", (status, reason, rotator, rotation, isRestarting) => {
    const facts = {
      spec: { ...spec, ...(rotator && { rotator }) },
      rotators: [],
      rotation,
      isRestarting,
      nowMs,
    };
    expect(rotatedCondition(facts)).toMatchObject({ status, reason });
  });
});
