import { describe, expect, it } from "vitest";
import { reloaderProgress } from "./sample-progress.ts";

const group = { apiVersion: "reloader.stakater.com/v1alpha1", metadata: { name: "ledger" } };

function configWith(status: object, isLater = false) {
  return reloaderProgress({ ...group, kind: "ReloaderConfig", status }, { isLater });
}

function recordWith(status: object) {
  return reloaderProgress({ ...group, kind: "ReloadRecord", status }, { isLater: true });
}

const condition = (type: string, status: "True" | "False", message = "") => ({
  ...{ type, status, message, reason: "TargetNotFound" },
  ...{ lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 1 },
});
const available = [condition("Available", "True"), condition("Degraded", "False")];
const target = { kind: "Deployment", name: "ledger", namespace: "default", reloadCount: 0 };
const recorded = { ...target, records: [{ uid: "1", reloadCount: 0 }] };

describe("the progress of a ReloaderConfig", () => {
  it("is settled when the content before a change is recorded, and after a change when it was reloaded", () => {
    expect(configWith({})).toEqual({ phase: "Created", isSettled: false });
    expect(configWith({ conditions: available, targetStatus: [target] })).toEqual({
      ...{ phase: "Watching", isSettled: false },
    });
    const watching = { conditions: available, targetStatus: [recorded] };
    expect(configWith(watching)).toEqual({ phase: "Watching", isSettled: true });
    expect(configWith(watching, true)).toEqual({ phase: "Reloading", isSettled: false });
    expect(configWith({ ...watching, reloadCount: 1 }, true)).toEqual({ phase: "Reloaded", isSettled: true });
  });

  it("has the problem of the condition", () => {
    const conditions = [condition("Available", "False"), condition("Degraded", "True", "no Deployment")];
    expect(configWith({ conditions })).toEqual({
      ...{ phase: "TargetNotFound", isSettled: false, problem: "no Deployment" },
    });
  });
});

describe("the progress of a ReloadRecord", () => {
  const time = "2026-01-01T00:00:00Z";

  it.each([
    [{}, "Created", false],
    [{ baselines: {} }, "Watching", true],
    [
      { baselines: {}, pending: { since: time, resources: [], reason: "OutsideWindow" } },
      "OutsideWindow",
      false,
    ],
    [{ baselines: {}, restart: { startedAt: time } }, "Restarting", false],
    [{ baselines: {}, reloadCount: 2 }, "Reloaded", true],
  ])("of %j is %s", (status, phase, isSettled) => {
    expect(recordWith(status)).toEqual({ phase, isSettled });
  });

  it("has the last error", () => {
    expect(recordWith({ lastError: "refused" })).toMatchObject({ isSettled: false, problem: "refused" });
  });
});
