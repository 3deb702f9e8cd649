import { RecordingLogger, VirtualClock } from "@keelson/testkit";
import type { Stored } from "keelson";
import { describe, expect, it } from "vitest";
import { FakeCharts } from "../../test/support/fake-charts.ts";
import type { AppTemplate, AppTemplateStatus } from "../api/app-template.ts";
import { ChartRepositories } from "./chart-repositories.ts";
import { RepositoryError, UnusableAppTemplateError } from "./errors.ts";
import { nextSyncMs, type SyncResult, syncAppTemplate, syncPeriodMs } from "./sync.ts";

const repo = "https://charts.example.com";
const now = Date.UTC(2026, 0, 1);

function appTemplate(
  spec: Partial<AppTemplate["spec"]> = {},
  status?: AppTemplateStatus,
  generation = 1,
): Stored<AppTemplate> {
  return {
    apiVersion: "azimuth.stackhpc.com/v1alpha1",
    kind: "AppTemplate",
    metadata: {
      name: "app",
      uid: "1",
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      generation,
    },
    spec: { chart: { repo, name: "app" }, ...spec },
    ...(status !== undefined && { status }),
  };
}

/** A repository with these versions of the chart, and what a sync does with it. */
function world(entries: readonly object[], charts: FakeCharts) {
  const clock = new VirtualClock({ startAt: now });
  const log = new RecordingLogger();
  const repositories = new ChartRepositories(async () =>
    Promise.resolve(new Response(JSON.stringify({ entries: { app: entries } }))),
  );
  const stop = new AbortController();
  const sync = (object: Stored<AppTemplate>): Promise<SyncResult> =>
    syncAppTemplate(object, { repositories, helm: charts, clock, log, signal: stop.signal });
  return { clock, log, sync, stop };
}

const three = ["1.0.0", "1.2.0", "1.1.0"].map((version) => ({ version, name: "app" }));
const schema = (title: string): Readonly<Record<string, string>> => ({
  "values.schema.json": JSON.stringify({ title }),
});

function chartsOf(...versions: readonly string[]): FakeCharts {
  const charts = new FakeCharts();
  for (const version of versions) charts.add(version, schema(version));
  return charts;
}

describe("C.10: a sync", () => {
  it("reads the schemas of all versions that are offered", async () => {
    const charts = chartsOf("1.0.0", "1.2.0").add("1.1.0", { "azimuth-ui.schema.yaml": "controls: {}" });
    const { sync } = world(three, charts);
    expect(await sync(appTemplate({}, undefined, 7))).toEqual({
      status: {
        label: "app",
        versions: [
          { name: "1.2.0", valuesSchema: { title: "1.2.0" } },
          { name: "1.1.0", uiSchema: { controls: {} } },
          { name: "1.0.0", valuesSchema: { title: "1.0.0" } },
        ],
        syncedChart: { repo, name: "app" },
        lastSync: "2026-01-01T00:00:00Z",
        observedGeneration: 7,
      },
      invalid: [],
      failure: undefined,
    });
    expect(charts.pulls).toEqual([`${repo} app 1.2.0`, `${repo} app 1.1.0`, `${repo} app 1.0.0`]);
  });

  it("reads no version again that the status has, as it was written by this operator or the original", async () => {
    const charts = chartsOf("1.2.0");
    const { sync } = world(three, charts);
    const known = { name: "1.1.0", valuesSchema: { title: "as before" } };
    const { status } = await sync(appTemplate({ keepVersions: 2 }, { versions: [known] }));
    expect(status.versions).toEqual([{ name: "1.2.0", valuesSchema: { title: "1.2.0" } }, known]);
    expect(charts.pulls).toEqual([`${repo} app 1.2.0`]);
  });

  it("reads all versions again if the chart is another one", async () => {
    const charts = chartsOf("1.2.0");
    const { sync } = world(three, charts);
    const before = { versions: [{ name: "1.2.0" }], syncedChart: { repo: `${repo}/old`, name: "app" } };
    const { status } = await sync(appTemplate({ keepVersions: 1 }, before));
    expect(status).toMatchObject({
      versions: [{ name: "1.2.0", valuesSchema: { title: "1.2.0" } }],
      syncedChart: { repo, name: "app" },
    });
  });

  it("L18: shows what the newest version says, and what the spec says instead", async () => {
    const label = { "azimuth.stackhpc.com/label": "The App" };
    const entries = [
      { version: "2.0.0", name: "app", annotations: label, icon: "new.svg", description: "New" },
      { version: "1.0.0", name: "app", icon: "old.svg", description: "Old" },
    ];
    const { sync } = world(entries, chartsOf("1.0.0", "2.0.0"));
    const stale = { label: "Stale", logo: "stale.svg", description: "Stale", versions: [{ name: "2.0.0" }] };
    const shown = async (spec: Partial<AppTemplate["spec"]>): Promise<unknown> => {
      const { status } = await sync(appTemplate(spec, stale));
      return [status.label, status.logo, status.description];
    };
    expect(await shown({})).toEqual(["The App", "new.svg", "New"]);
    expect(await shown({ label: "", logo: null, description: "" })).toEqual(["The App", "new.svg", "New"]);
    expect(await shown({ label: "Mine", logo: "mine.svg" })).toEqual(["Mine", "mine.svg", "New"]);
    expect(await shown({ versionRange: "<2.0.0" })).toEqual(["app", "old.svg", "Old"]);
  });

  it("L18: skips versions that are not SemVer versions, and logs them", async () => {
    const { sync, log } = world([{ version: "latest" }, { version: "1.0.0" }], chartsOf("1.0.0"));
    const { status } = await sync(appTemplate());
    expect(status.versions?.map(({ name }) => name)).toEqual(["1.0.0"]);
    expect(log.lines).toMatchObject([
      { level: "warn", fields: { chart: "app", count: 1, versions: ["latest"] } },
    ]);
  });

  it("leaves out a version whose schemas cannot be read, and is complete", async () => {
    const charts = chartsOf("1.0.0", "1.2.0").add("1.1.0", { "values.schema.json": "{" });
    const { status, invalid, failure } = await world(three, charts).sync(appTemplate());
    expect(status.versions?.map(({ name }) => name)).toEqual(["1.2.0", "1.0.0"]);
    expect(status.lastSync).toBe("2026-01-01T00:00:00Z");
    expect(invalid).toEqual([{ version: "1.1.0", problem: "values.schema.json cannot be parsed" }]);
    expect(failure).toBeUndefined();
  });

  it("keeps what it has read if a version cannot be fetched, and stays due", async () => {
    const charts = chartsOf("1.0.0", "1.2.0");
    const { sync, clock } = world(three, charts);
    const before: AppTemplateStatus = { lastSync: "2025-12-30T00:00:00Z", observedGeneration: 1 };
    const object = appTemplate({}, before);
    const { status, failure } = await sync(object);
    expect(status).toMatchObject({ ...before, versions: [{ name: "1.2.0" }, { name: "1.0.0" }] });
    expect(failure?.message).toBe("chart app 1.1.0 is not found");
    expect(nextSyncMs({ ...object, status }, clock.now())).toBeLessThanOrEqual(clock.now());
    charts.add("1.1.0");
    charts.pulls.length = 0;
    const again = await sync(appTemplate({}, status));
    expect(again.status.versions?.map(({ name }) => name)).toEqual(["1.2.0", "1.1.0", "1.0.0"]);
    expect(charts.pulls).toEqual([`${repo} app 1.1.0`]);
  });

  it("fails if no version can be fetched", async () => {
    const { sync } = world(three, new FakeCharts());
    await expect(sync(appTemplate())).rejects.toThrow("chart app 1.2.0 is not found");
  });

  it("has 2 min to fetch a chart", async () => {
    const charts = chartsOf("1.2.0");
    charts.gate = new Promise(() => {});
    const { sync, clock } = world(three, charts);
    const failed = expect(sync(appTemplate({ keepVersions: 1 }))).rejects.toThrow("longer than 120 s");
    await clock.advance(120_000);
    await failed;
    expect(clock.pendingTimers).toEqual([]);
  });

  it("ends with the reconcile, without a further chart", async () => {
    const charts = chartsOf("1.2.0", "1.1.0", "1.0.0");
    charts.gate = new Promise(() => {});
    const { sync, clock, stop } = world(three, charts);
    const reason = new Error("the operator stops");
    const failed = expect(sync(appTemplate())).rejects.toBe(reason);
    await clock.settle();
    stop.abort(reason);
    await failed;
    expect(charts.pulls).toHaveLength(1);
  });
});

describe("C.10: an AppTemplate cannot be synced", () => {
  it.each([
    [
      "versionRange is no range",
      { versionRange: "^1.0.0" },
      three,
      "InvalidVersionRange",
      'range: "^1.0.0";',
    ],
    ["versionRange is empty", { versionRange: "" }, three, "InvalidVersionRange", 'range: "";'],
    ["no version is in the range", { versionRange: ">2.0.0" }, three, "NoMatchingVersions", "none of 3"],
    ["there are prereleases alone", {}, [{ version: "1.0.0-rc.1" }], "NoMatchingVersions", "none of 1"],
    ["there are no versions", {}, [], "NoMatchingVersions", "no versions matching constraint: none of 0"],
  ])("if %s", async (_, spec, entries, reason, message) => {
    const failure = world(entries, new FakeCharts()).sync(appTemplate(spec));
    await expect(failure).rejects.toBeInstanceOf(UnusableAppTemplateError);
    await expect(failure).rejects.toMatchObject({ reason, message: expect.stringContaining(message) });
  });

  it("if the repository does not have its chart", async () => {
    const { sync } = world(three, new FakeCharts());
    await expect(sync(appTemplate({ chart: { repo, name: "other" } }))).rejects.toMatchObject({
      reason: "NoMatchingVersions",
      message: "no versions matching constraint: the repository has no chart other",
    });
  });

  it("if the schemas of no version can be read", async () => {
    const charts = new FakeCharts().add("1.2.0", { "values.schema.json": "[]" });
    await expect(world(three, charts).sync(appTemplate({ keepVersions: 1 }))).rejects.toMatchObject({
      reason: "InvalidChart",
      message: "no version can be read; of the newest one, 1.2.0: values.schema.json is not an object",
    });
  });

  it("while its repository is broken, which is another error", async () => {
    const repositories = new ChartRepositories(async () =>
      Promise.resolve(new Response("", { status: 503 })),
    );
    const dependencies = { helm: new FakeCharts(), clock: new VirtualClock(), log: new RecordingLogger() };
    const { signal } = new AbortController();
    await expect(
      syncAppTemplate(appTemplate(), { repositories, ...dependencies, signal }),
    ).rejects.toBeInstanceOf(RepositoryError);
  });
});

describe("C.10: the next sync", () => {
  const hour = 3_600_000;
  const at = (ms: number): string => new Date(ms).toISOString();

  it.each([
    ["at once without a status", appTemplate(), 0],
    [
      "at once after a change of the spec",
      appTemplate({}, { lastSync: at(now), observedGeneration: 1 }, 2),
      0,
    ],
    ["at once with a status of the original", appTemplate({}, { lastSync: at(now) }), 0],
    ["at once if there was none", appTemplate({}, { lastSync: null, observedGeneration: 1 }), 0],
    [
      "at once if the last one is in the future",
      appTemplate({}, { lastSync: at(now + hour), observedGeneration: 1 }),
      0,
    ],
    ["a day later", appTemplate({}, { lastSync: at(now - hour), observedGeneration: 1 }), 23 * hour],
    [
      "as often as the spec says",
      appTemplate({ syncFrequency: 60 }, { lastSync: at(now), observedGeneration: 1 }),
      60_000,
    ],
  ])("is due %s", (_, object, inMs) => {
    expect(nextSyncMs(object, now) - now).toBe(inMs);
  });

  it("is due each day by default", () => {
    expect(syncPeriodMs({})).toBe(24 * hour);
    expect(syncPeriodMs({ syncFrequency: null })).toBe(24 * hour);
  });
});
