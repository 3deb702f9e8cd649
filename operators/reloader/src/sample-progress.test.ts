import { describe, expect, it } from "vitest";
import { reloaderProgress } from "./sample-progress.ts";

const group = {
  apiVersion: "reloader.stakater.com/v1alpha1",
  metadata: { namespace: "shop", name: "ledger" },
};
const targets = [{ kind: "Deployment", name: "ledger" }];

function configWith(status: object, isLater = false, progress = reloaderProgress()) {
  return progress({ ...group, kind: "ReloaderConfig", spec: { targets }, status }, { isLater });
}

function recordWith(status: object, progress = reloaderProgress()) {
  const spec = { kind: "Deployment", name: "ledger", uid: "1" };
  return progress({ ...group, kind: "ReloadRecord", spec, status }, { isLater: false });
}

const condition = (type: string, status: "True" | "False", message = "") => ({
  ...{ type, status, message, reason: "TargetNotFound" },
  ...{ lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 1 },
});
const available = [condition("Available", "True"), condition("Degraded", "False")];

describe("the progress of a ReloaderConfig", () => {
  it("is settled when the content before a change is recorded, and after a change when it was reloaded", () => {
    const progress = reloaderProgress();
    expect(configWith({})).toEqual({ phase: "Created", isSettled: false });
    const watching = { conditions: available };
    expect(configWith(watching, false, progress)).toEqual({ phase: "Watching", isSettled: false });
    recordWith({}, progress);
    expect(configWith(watching, false, progress).isSettled).toBe(false);
    recordWith({ baselines: {} }, progress);
    expect(configWith(watching, false, progress)).toEqual({ phase: "Watching", isSettled: true });
    expect(configWith(watching, true, progress)).toEqual({ phase: "Reloading", isSettled: false });
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
