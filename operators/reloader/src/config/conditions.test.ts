import { describe, expect, it } from "vitest";
import { existing, observation, reloaderConfig, reloadRecord, web } from "../../test/support/objects.ts";
import type { ReloadRecordStatus } from "../api/reload-record.ts";
import type { ReloaderConfigSpecInput } from "../api/spec.ts";
import { conditionsOf } from "./conditions.ts";
import type { Observation } from "./observation.ts";

/** By type: status, reason and message. */
function judged(fields: Partial<Observation>): Readonly<Record<string, readonly string[]>> {
  const updates = conditionsOf(observation(fields));
  return Object.fromEntries(
    updates.map(({ type, status, reason, message }) => [type, [status, reason, message]]),
  );
}

const withRecord = (status: ReloadRecordStatus) => ({
  targets: [existing({ records: [reloadRecord(status)] })],
});
const since = "2026-01-01T00:00:00Z";
const pending = (reason: NonNullable<ReloadRecordStatus["pending"]>["reason"], until?: string) =>
  withRecord({ pending: { since, resources: ["shop/Secret/db"], reason, ...(until && { until }) } });
const ofSpec = (spec: ReloaderConfigSpecInput) => ({ config: reloaderConfig(spec), targets: [] });
const target = { kind: "Deployment", name: "web" } as const;

const good = ["True", "Reconciled", "ReloaderConfig is active and watching resources"];
const quiet = ["False", "Reconciled", ""];

describe("the conditions of a ReloaderConfig", () => {
  it("are about the generation that was observed", () => {
    expect(conditionsOf(observation()).map(({ observedGeneration }) => observedGeneration)).toEqual([
      3, 3, 3,
    ]);
  });

  it("are good if there is no problem", () => {
    expect(judged({})).toEqual({ Available: good, Progressing: quiet, Degraded: quiet });
  });

  it.each<[string, Partial<Observation>, readonly [string, string]]>([
    [
      "a missing target",
      { targets: [existing({ presence: "missing" })] },
      ["TargetNotFound", "Target Deployment/web not found"],
    ],
    [
      "a missing target in another namespace",
      { targets: [existing({ presence: "missing", workload: { ...web, namespace: "other" } })] },
      ["TargetNotFound", "Target Deployment/web in namespace other not found"],
    ],
    [
      "a kind that is not served",
      { targets: [existing({ presence: "notServed", workload: { ...web, kind: "Rollout" } })] },
      ["KindNotServed", "Target Rollout/web cannot exist: the API server does not serve Rollouts"],
    ],
    [
      "a target that is never reloaded",
      { targets: [existing({ ineligibility: "Job shop/web does not have the annotation" })] },
      ["TargetNotReloadable", "Job shop/web does not have the annotation"],
    ],
    [
      "an invalid value",
      { problems: [{ reason: "InvalidSpec", field: "spec.a", message: "write b" }] },
      ["InvalidSpec", "spec.a: write b"],
    ],
  ])("show %s in Available and Degraded", (_title, fields, [reason, message]) => {
    expect(judged(fields)).toEqual({
      Available: ["False", reason, message],
      Progressing: quiet,
      Degraded: ["True", reason, message],
    });
  });

  it.each<[string, Partial<Observation>, readonly [string, string]]>([
    [
      "a missing resource",
      { missing: [{ kind: "Secret", namespace: "shop", name: "db" }] },
      ["ResourceNotFound", "Secret db not found"],
    ],
    [
      "a failed reload",
      withRecord({ lastError: "conflict" }),
      ["ReloadFailed", "Target Deployment/web could not be reloaded: conflict"],
    ],
    [
      "a resource that the settings leave out",
      { unwatched: [{ kind: "Secret", namespace: "shop", name: "db" }] },
      ["ResourceNotWatched", "Secret db is left out by the settings of the operator"],
    ],
    [
      "a window that never opens",
      { problems: [{ reason: "InvalidWindow", field: "spec.windows[0].schedule", message: "is never due" }] },
      ["InvalidWindow", "spec.windows[0].schedule: is never due"],
    ],
    [
      "an alert channel without a URL",
      { unresolvedAlerts: ["alerts.slack: Secret hook not found"] },
      ["AlertChannelUnresolved", "alerts.slack: Secret hook not found"],
    ],
  ])("show %s in Degraded alone", (_title, fields, [reason, message]) => {
    expect(judged(fields)).toEqual({
      Available: good,
      Progressing: quiet,
      Degraded: ["True", reason, message],
    });
  });

  it("show an open circuit breaker, with the changes that wait", () => {
    expect(judged(pending("CircuitOpen", "2026-01-01T02:00:00Z"))).toEqual({
      Available: good,
      Progressing: [
        "True",
        "ReloadPending",
        "Changes of Target Deployment/web wait (CircuitOpen) until 2026-01-01T02:00:00Z",
      ],
      Degraded: [
        "True",
        "CircuitOpen",
        "Target Deployment/web was reloaded too often; changes wait until 2026-01-01T02:00:00Z",
      ],
    });
  });

  it.each(["Paused", "OutsideWindow", "RateLimited"] as const)("show changes that wait: %s", (reason) => {
    expect(judged(pending(reason))).toEqual({
      Available: good,
      Progressing: ["True", "ReloadPending", `Changes of Target Deployment/web wait (${reason})`],
      Degraded: quiet,
    });
  });

  it("do not change while changes are collected for a moment", () => {
    expect(judged(pending("Collecting"))).toEqual({ Available: good, Progressing: quiet, Degraded: quiet });
  });

  it("show a restart that is under way", () => {
    const { Progressing } = judged(withRecord({ restart: { startedAt: since } }));
    expect(Progressing).toEqual([
      "True",
      "Restarting",
      "Target Deployment/web is being restarted: its pods are evicted",
    ]);
  });

  it.each<[string, ReloaderConfigSpecInput, string]>([
    [
      "has no targets",
      { watchedResources: { secrets: ["db"] } },
      "The spec has no targets; add the workloads to reload",
    ],
    [
      "watches nothing",
      { targets: [target] },
      "The spec watches nothing; add names to watchedResources, or set autoReloadAll to true",
    ],
  ])("show that the spec %s", (_title, spec, message) => {
    expect(judged(ofSpec(spec))).toEqual({
      Available: ["False", "NothingToDo", message],
      Progressing: quiet,
      Degraded: quiet,
    });
  });

  it("show that the config is ignored, and nothing else", () => {
    const missing = [{ kind: "Secret", namespace: "shop", name: "db" } as const];
    expect(judged({ ...pending("Paused"), isIgnored: true, missing })).toEqual({
      Available: ["False", "Ignored", "The annotation ignore is true; remove it to reload targets"],
      Progressing: quiet,
      Degraded: quiet,
    });
  });

  it("name the most urgent problem, and list all", () => {
    const { Degraded } = judged({
      ...withRecord({ lastError: "conflict" }),
      missing: [{ kind: "ConfigMap", namespace: "shop", name: "app" }],
    });
    expect(Degraded).toEqual([
      "True",
      "ReloadFailed",
      "Target Deployment/web could not be reloaded: conflict; ConfigMap app not found",
    ]);
  });

  it("list at most ten problems", () => {
    const missing = Array.from(
      { length: 12 },
      (_, index) => ({ kind: "Secret", namespace: "shop", name: `s${index}` }) as const,
    );
    const { Degraded } = judged({ missing });
    expect(Degraded?.[2]).toMatch(/^Secret s0 not found; .*; Secret s9 not found; and 2 more$/);
  });
});
