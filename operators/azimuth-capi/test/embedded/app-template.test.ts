import {
  type RunningOperator,
  type RunningSandbox,
  runOperator,
  startSandbox,
  VirtualClock,
} from "@keelson/testkit";
import { defineOperator, mergePatch, type Operator } from "keelson";
import { installCrds } from "keelson/object";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { AppTemplateSpec, AppTemplateStatus } from "../../src/api/app-template.ts";
import { appTemplateController } from "../../src/app-template/controller.ts";
import { kindsOf } from "../../src/kinds.ts";
import { settings } from "../../src/settings.ts";
import { ChartServer } from "../support/chart-server.ts";
import { FakeCharts } from "../support/fake-charts.ts";

const chosen = settings.parse({});
const kinds = kindsOf(chosen);
const { AppTemplate } = kinds;
const hourMs = 3_600_000;

let sandbox: RunningSandbox;
let server: ChartServer;
let clock: VirtualClock;
let charts: FakeCharts;
let operator: Operator;
let count = 0;
/** A repository and an AppTemplate for one test. */
let name: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  await installCrds(sandbox.client, [AppTemplate]);
  server = await ChartServer.start();
});
afterAll(async () => {
  await sandbox?.stop();
  await server?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
  for (const { metadata } of (await sandbox.client.list(AppTemplate)).items)
    await sandbox.client.delete(AppTemplate, metadata);
  count++;
  name = `app-${count}`;
  clock = new VirtualClock();
  charts = new FakeCharts().add("1.0.0").add("2.0.0");
  operator = defineOperator({
    name: "azimuth-apps",
    controllers: [appTemplateController({ kinds, helm: charts, fetch, settings: chosen })],
  });
  server.publish(name, "app", [{ version: "1.0.0" }]);
});

function run(): Promise<RunningOperator> {
  return runOperator(operator, { access: { transport: sandbox.sandbox.transport() }, clock, events: false });
}

function create(spec: Partial<AppTemplateSpec> = {}, repo = name): Promise<unknown> {
  return sandbox.client.create(AppTemplate, {
    metadata: { name: repo },
    spec: { chart: { repo: server.repo(repo), name: "app" }, ...spec },
  });
}

async function change(spec: Partial<AppTemplateSpec>): Promise<void> {
  await sandbox.client.patch(AppTemplate, { name }, mergePatch({ spec }), { fieldOwner: "test" });
}

async function statusOf(template = name): Promise<AppTemplateStatus> {
  return (await sandbox.client.get(AppTemplate, { name: template })).status ?? {};
}

/** Resolves when the status shows these versions. Time moves only as far as what is due. */
async function offers(versions: readonly string[], template = name): Promise<void> {
  const shown = async (): Promise<unknown> => (await statusOf(template)).versions?.map((each) => each.name);
  await expect.poll(shown).toEqual(versions);
}

it("C.10: an AppTemplate is synced at once, and again when its period is over", async () => {
  await using running = await run();
  await create({ syncFrequency: 3600 });
  await offers(["1.0.0"]);
  server.publish(name, "app", [{ version: "2.0.0" }, { version: "1.0.0" }]);
  await running.idle();
  await clock.advance(hourMs - 1_000);
  await running.idle();
  expect(server.reads(name)).toBe(1);
  await clock.advance(1_000);
  await offers(["2.0.0", "1.0.0"]);
  await running.idle();
  expect(server.reads(name)).toBe(2);
  expect(charts.pulls).toHaveLength(2);
  expect((await statusOf()).lastSync).toBe("2026-01-01T01:00:00Z");
});

it("C.10: an AppTemplate is synced each day by default", async () => {
  await using running = await run();
  await create();
  await offers(["1.0.0"]);
  await running.idle();
  for (let day = 1; day <= 3; day++) {
    await clock.advance(24 * hourMs - 1_000);
    await running.idle();
    expect(server.reads(name)).toBe(day);
    await clock.advance(1_000);
    await expect.poll(() => server.reads(name)).toBe(day + 1);
    await running.idle();
  }
});

it("C.10: an AppTemplate is synced at once when its spec changes, and not for its status or labels", async () => {
  await using running = await run();
  await create();
  await offers(["1.0.0"]);
  await sandbox.client.patch(AppTemplate, { name }, mergePatch({ metadata: { labels: { a: "b" } } }), {});
  await running.idle();
  expect(server.reads(name)).toBe(1);
  await change({ label: "Mine" });
  await expect.poll(async () => (await statusOf()).label).toBe("Mine");
  await change({ label: null });
  await expect.poll(async () => (await statusOf()).label).toBe("app");
  expect(server.reads(name)).toBe(3);
  expect(charts.pulls).toHaveLength(1);
});

it("C.10: an operator that starts syncs what is due or has changed, and writes nothing otherwise", async () => {
  await using first = await run();
  await create();
  await offers(["1.0.0"]);
  await first.stop();
  await using second = await run();
  await second.idle();
  expect([server.reads(name), second.writes]).toEqual([1, []]);
  await second.stop();
  await change({ versionRange: "~1.0.0", label: "Changed" });
  await using third = await run();
  await expect.poll(async () => (await statusOf()).label).toBe("Changed");
  await third.stop();
  clock.setWallTime(clock.now() + 24 * hourMs);
  await using fourth = await run();
  await expect.poll(() => server.reads(name)).toBe(3);
  await fourth.idle();
});

it("C.10: a change that comes during a sync leads to another one", async () => {
  const gate = Promise.withResolvers<void>();
  charts.gate = gate.promise;
  await using running = await run();
  await create();
  await expect.poll(() => charts.pulls).toHaveLength(1);
  await change({ label: "Late" });
  gate.resolve();
  await expect.poll(async () => (await statusOf()).label).toBe("Late");
  await running.idle();
  expect((await statusOf()).observedGeneration).toBe(2);
});

it("C.10: a repository that responds with an error is read again with a growing delay", async () => {
  server.breakRepo(name, (_, response) => response.writeHead(503).end());
  await using running = await run();
  await create();
  await expect.poll(() => server.reads(name)).toBe(1);
  await running.idle();
  for (const [index, delayMs] of [1_000, 2_000, 4_000, 8_000].entries()) {
    await clock.advance(delayMs - 1);
    await running.idle();
    expect(server.reads(name)).toBe(index + 1);
    await clock.advance(1);
    await expect.poll(() => server.reads(name)).toBe(index + 2);
    await running.idle();
  }
  expect(await statusOf()).toEqual({});
  server.repair(name);
  await clock.advance(16_000);
  await offers(["1.0.0"]);
});

it("C.10: repositories that do not respond hold up no other, and are given up after 30 s", async () => {
  await using running = await run();
  const silent = Array.from({ length: 7 }, (_, index) => `${name}-silent-${index}`);
  for (const each of silent) {
    server.breakRepo(each, () => {});
    await create({}, each);
    await expect.poll(() => server.reads(each)).toBe(1);
  }
  await create();
  await offers(["1.0.0"]);
  await clock.advance(30_000);
  await running.idle();
  await clock.advance(1_000);
  for (const each of silent) await expect.poll(() => server.reads(each)).toBe(2);
});

it("C.10: an AppTemplate without a matching version waits for a change or its next period", async () => {
  await using running = await run();
  await create({ versionRange: ">=2.0.0", syncFrequency: 3600 });
  await expect.poll(() => server.reads(name)).toBe(1);
  await running.idle();
  await clock.advance(hourMs - 1_000);
  await running.idle();
  expect([server.reads(name), await statusOf()]).toEqual([1, {}]);
  server.publish(name, "app", [{ version: "2.0.0" }]);
  await clock.advance(1_000);
  await offers(["2.0.0"]);
  await change({ versionRange: "no range" });
  await running.idle();
  await change({ versionRange: ">=2.0.0" });
  await expect.poll(async () => (await statusOf()).observedGeneration).toBe(3);
  expect(running.problems.map(({ message }) => message)).toEqual(
    expect.arrayContaining([expect.stringContaining("an AppTemplate cannot be synced")]),
  );
});

it("C.10: versions that could be read are offered while another one cannot, which is tried again", async () => {
  server.publish(name, "app", [{ version: "3.0.0" }, { version: "1.0.0" }]);
  await using running = await run();
  await create();
  await offers(["1.0.0"]);
  expect((await statusOf()).lastSync).toBeUndefined();
  await running.idle();
  charts.add("3.0.0");
  await clock.advance(1_000);
  await offers(["3.0.0", "1.0.0"]);
  expect((await statusOf()).lastSync).toBe("2026-01-01T00:00:01Z");
  expect(charts.pulls.filter((pull) => pull.endsWith(" 1.0.0"))).toHaveLength(1);
});
