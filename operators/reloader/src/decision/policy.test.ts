import { describe, expect, it } from "vitest";
import {
  chosenSettings,
  config,
  keys,
  type Texts,
  type WorkloadParts,
  web,
  workload,
} from "../../test/support/decision-objects.ts";
import type { ReloaderConfigSpecInput } from "../api/spec.ts";
import type { Match } from "./match.ts";
import { policyOf, reloadsOnCreate, reloadsOnDelete } from "./policy.ts";
import type { ReloadPolicy } from "./reload-policy.ts";

const resource = { kind: "Secret", namespace: "shop", name: "db" } as const;
const byAnnotations: Match = { resource, isExplicit: true, origin: { type: "annotations" } };
const nowMs = Date.UTC(2026, 0, 1);

/** A match by a ReloaderConfig whose first target it is. */
function byConfig(spec: ReloaderConfigSpecInput, name = "config"): Match {
  const found = config({ targets: [web], ...spec }, { name });
  const [target] = found.spec.targets ?? [];
  if (target === undefined) throw new Error("the config has no target");
  return { resource, isExplicit: true, origin: { type: "config", config: found, target } };
}

function policy(
  parts: WorkloadParts,
  matches: readonly Match[] = [byAnnotations],
  settings: object = {},
): ReloadPolicy {
  return policyOf(workload(parts), { matches, settings: chosenSettings(settings), keys, nowMs });
}

const annotated = (annotations: Texts) => ({ annotations });
const night = { schedule: "0 2 * * *", duration: "2h" };
const noon = { schedule: "0 12 * * *", duration: "1h", timeZone: "Europe/Berlin" };
const windowSetting = { windowSchedule: "0 4 * * *", windowDuration: "30m" };
const windowOfSetting = { schedule: "0 4 * * *", duration: "1800000ms", timeZone: "Etc/UTC" };

describe("a policy", () => {
  it("is that of the settings if nothing else is said", () => {
    expect(policy({})).toEqual({
      ...{ mode: "reload", strategy: "env-vars", pausePeriodMs: undefined, accumulatePeriodMs: undefined },
      ...{ windows: [], problems: [] },
    });
    const settings = {
      ...{ mode: "notify", reloadStrategy: "annotations", defaultPausePeriod: "5m" },
      ...windowSetting,
    };
    expect(policy({}, [byAnnotations], settings)).toMatchObject({
      ...{ mode: "notify", strategy: "annotations", pausePeriodMs: 300_000 },
      windows: [windowOfSetting],
    });
  });

  it.each<[string, Texts, readonly Match[], object, ReloadPolicy["strategy"]]>([
    ["the setting", {}, [byAnnotations], { reloadStrategy: "annotations" }, "annotations"],
    ["the setting restart", {}, [byAnnotations], { rolloutStrategy: "restart" }, "restart"],
    ["the annotation", { [keys.reloadStrategy]: "annotations" }, [byAnnotations], {}, "annotations"],
    ["the annotation restart", { [keys.rolloutStrategy]: "restart" }, [byAnnotations], {}, "restart"],
    [
      "the annotation rollout before the setting",
      { [keys.rolloutStrategy]: "rollout" },
      [byAnnotations],
      { rolloutStrategy: "restart" },
      "env-vars",
    ],
    [
      "the config before the annotation",
      { [keys.reloadStrategy]: "env-vars" },
      [byConfig({ reloadStrategy: "annotations" })],
      {},
      "annotations",
    ],
    [
      "the target before the config",
      {},
      [byConfig({ reloadStrategy: "env-vars", targets: [{ ...web, reloadStrategy: "annotations" }] })],
      {},
      "annotations",
    ],
    [
      "the rollout strategy of the target before that of the config",
      {},
      [byConfig({ rolloutStrategy: "restart", targets: [{ ...web, rolloutStrategy: "rollout" }] })],
      {},
      "env-vars",
    ],
    [
      "a config that says nothing",
      { [keys.reloadStrategy]: "annotations" },
      [byConfig({})],
      {},
      "annotations",
    ],
    [
      "the first config by name that says something",
      {},
      [
        byConfig({ reloadStrategy: "env-vars" }, "c"),
        byConfig({ reloadStrategy: "annotations" }, "b"),
        byConfig({}, "a"),
      ],
      {},
      "annotations",
    ],
    [
      "a config beside annotations",
      { [keys.reloadStrategy]: "env-vars" },
      [byAnnotations, byConfig({ reloadStrategy: "annotations" })],
      {},
      "annotations",
    ],
  ])("has the strategy of %s", (_, annotations, matches, settings, expected) => {
    expect(policy({ annotations }, matches, settings).strategy).toBe(expected);
  });

  it.each<[string, Texts, readonly Match[], object, ReloadPolicy["mode"]]>([
    ["the annotation says so", { [keys.mode]: "notify" }, [byAnnotations, byConfig({})], {}, "notify"],
    [
      "the annotation says otherwise",
      { [keys.mode]: "reload" },
      [byConfig({ mode: "notify" })],
      {},
      "reload",
    ],
    [
      "every config says so",
      {},
      [byConfig({ mode: "notify" }), byConfig({ mode: "notify" }, "b")],
      {},
      "notify",
    ],
    ["one config does not", {}, [byConfig({ mode: "notify" }), byConfig({}, "b")], {}, "reload"],
    ["annotations match as well", {}, [byConfig({ mode: "notify" }), byAnnotations], {}, "reload"],
    ["the setting says so", {}, [byConfig({}), byAnnotations], { mode: "notify" }, "notify"],
    ["nothing has changed", {}, [], { mode: "notify" }, "reload"],
  ])("notifies or reloads if %s", (_, annotations, matches, settings, expected) => {
    expect(policy({ annotations }, matches, settings).mode).toBe(expected);
  });

  it("has the longest pause of the configs, unless an annotation has one", () => {
    const paused = (pausePeriod: string, name?: string) =>
      byConfig({ targets: [{ ...web, pausePeriod }] }, name);
    const matches = [paused("5m"), paused("1h30m", "b"), byConfig({}, "c"), byAnnotations];
    expect(policy({}, matches).pausePeriodMs).toBe(5_400_000);
    expect(policy({}, [paused("0s")], { defaultPausePeriod: "1m" }).pausePeriodMs).toBeUndefined();
    expect(policy({}, [byConfig({})], { defaultPausePeriod: "1m" }).pausePeriodMs).toBe(60_000);
    const annotations = { [keys.pausePeriod("StatefulSet")]: "1.5s" };
    expect(policy({ kind: "StatefulSet", annotations }, matches)).toMatchObject({
      pausePeriodMs: 1500,
      accumulatePeriodMs: undefined,
    });
  });

  it("collects changes for upstream's pause of a Deployment, which the pod template may have", () => {
    const annotations = { [keys.pausePeriod("Deployment")]: "5m" };
    const expected = { pausePeriodMs: undefined, accumulatePeriodMs: 300_000, problems: [] };
    expect(policy({ annotations }, [byConfig({ targets: [{ ...web, pausePeriod: "1h" }] })])).toMatchObject(
      expected,
    );
    expect(policy({ onTemplate: annotations })).toMatchObject(expected);
  });

  it("waits for the pause of a Rollout that uses the template", () => {
    const onAlias = { [keys.pausePeriod("Rollout")]: "5m" };
    expect(policy({ onAlias })).toMatchObject({
      pausePeriodMs: 300_000,
      accumulatePeriodMs: undefined,
      problems: [],
    });
  });

  it.each<[string, Texts, readonly Match[], object, ReloadPolicy["windows"]]>([
    [
      "the annotations, before those of configs",
      {
        [keys.windowSchedule]: "0 3 * * 6",
        [keys.windowDuration]: "2h",
        [keys.windowTimeZone]: "Europe/Berlin",
      },
      [byConfig({ windows: [night] })],
      windowSetting,
      [{ schedule: "0 3 * * 6", duration: "2h", timeZone: "Europe/Berlin" }],
    ],
    [
      "an annotation without a duration, which has that of the setting",
      { [keys.windowSchedule]: "0 3 * * 6" },
      [byAnnotations],
      {},
      [{ schedule: "0 3 * * 6", duration: "3600000ms" }],
    ],
    ["a config", {}, [byConfig({ windows: [night] })], {}, [night]],
    [
      "two configs",
      {},
      [byConfig({ windows: [night] }), byConfig({ windows: [noon, night] }, "b")],
      {},
      [night, noon],
    ],
    ["configs of which one has none", {}, [byConfig({ windows: [night] }), byConfig({}, "b")], {}, []],
    [
      "a config and annotations that match without a window",
      {},
      [byConfig({ windows: [night] }), byAnnotations],
      {},
      [],
    ],
    [
      "a config, and the setting for annotations",
      {},
      [byConfig({ windows: [night] }), byAnnotations],
      windowSetting,
      [night, windowOfSetting],
    ],
    [
      "the setting, for a config without windows",
      {},
      [byConfig({ windows: [] })],
      windowSetting,
      [windowOfSetting],
    ],
  ])("has the windows of %s", (_, annotations, matches, settings, expected) => {
    expect(policy({ annotations }, matches, settings)).toMatchObject({ windows: expected, problems: [] });
  });

  it("takes creations and deletions for changes if the setting or the matching config says so", () => {
    const [never, created, deleted] = [
      byConfig({}),
      byConfig({ reloadOnCreate: true }),
      byConfig({ reloadOnDelete: true }),
    ];
    const off = chosenSettings();
    const on = chosenSettings({ reloadOnCreate: true, reloadOnDelete: true });
    expect([never, created, deleted, byAnnotations].map((match) => reloadsOnCreate(match, off))).toEqual([
      false,
      true,
      false,
      false,
    ]);
    expect([never, created, deleted, byAnnotations].map((match) => reloadsOnDelete(match, off))).toEqual([
      false,
      false,
      true,
      false,
    ]);
    expect(
      [never, byAnnotations].every((match) => reloadsOnCreate(match, on) && reloadsOnDelete(match, on)),
    ).toBe(true);
  });
});

describe("problems of a policy", () => {
  it.each<[string, WorkloadParts, string]>([
    ["mode", annotated({ [keys.mode]: "silent" }), 'mode: "silent" has no effect; write reload or notify'],
    [
      "the strategy",
      annotated({ [keys.reloadStrategy]: "env" }),
      'reload-strategy: "env" has no effect; write env-vars or annotations',
    ],
    [
      "the rollout strategy",
      annotated({ [keys.rolloutStrategy]: "" }),
      'rollout-strategy: "" has no effect; write rollout or restart',
    ],
    [
      "the policy of a CronJob",
      annotated({ [keys.cronJobPolicy]: "now" }),
      'cronjob-policy: "now" has no effect; write patch or run-now',
    ],
    [
      "a pause without a unit",
      annotated({ [keys.pausePeriod("Deployment")]: "5" }),
      'pause-period: "5" has no effect; write a time with its unit, such as 30s, 5m or 1h30m',
    ],
    [
      "a pause before now",
      annotated({ [keys.pausePeriod("Deployment")]: "-5m" }),
      '"-5m" has no effect; write a time',
    ],
    [
      "a pause of another kind",
      { kind: "StatefulSet", ...annotated({ [keys.pausePeriod("Deployment")]: "5m" }) },
      "has no effect; this is a StatefulSet: write statefulset.reloader.stakater.com/pause-period",
    ],
    [
      "a schedule",
      annotated({ [keys.windowSchedule]: "at night" }),
      "annotation reloader.stakater.com/window-schedule: ",
    ],
    [
      "a duration",
      annotated({ [keys.windowSchedule]: "0 2 * * *", [keys.windowDuration]: "long" }),
      "annotation reloader.stakater.com/window-duration: ",
    ],
    [
      "a time zone",
      annotated({ [keys.windowSchedule]: "0 2 * * *", [keys.windowTimeZone]: "Moon" }),
      "annotation reloader.stakater.com/window-time-zone: ",
    ],
    [
      "a duration without a schedule",
      annotated({ [keys.windowDuration]: "1h" }),
      "annotation reloader.stakater.com/window-schedule is missing beside reloader.stakater.com/window-duration; write when",
    ],
  ])("say what to write instead of %s", (_, parts, expected) => {
    expect(policy(parts).problems).toEqual([expect.stringContaining(expected)]);
  });

  it("keep the windows of an invalid schedule, so that it does not allow every time", () => {
    expect(policy(annotated({ [keys.windowSchedule]: "at night" })).windows).toHaveLength(1);
    expect(policy(annotated({ [keys.windowDuration]: "1h" })).windows).toHaveLength(1);
  });

  it("fall back to the settings for an invalid choice or pause", () => {
    const annotations = {
      [keys.mode]: "x",
      [keys.reloadStrategy]: "x",
      [keys.pausePeriod("Deployment")]: "x",
    };
    const settings = { mode: "notify", reloadStrategy: "annotations", defaultPausePeriod: "1m" };
    expect(policy({ annotations }, [byAnnotations], settings)).toMatchObject({
      ...{ mode: "notify", strategy: "annotations", pausePeriodMs: 60_000, accumulatePeriodMs: undefined },
    });
  });
});
