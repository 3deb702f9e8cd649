import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningOperator, startWorld, type World } from "@keelson/testkit";
import { defineOperator, mergePatch, type Operator, systemClock } from "keelson";
import { Event } from "keelson/kinds/events/v1";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { AppTemplateSpec, AppTemplateStatus } from "../../src/api/app-template.ts";
import { appTemplateController } from "../../src/app-template/controller.ts";
import { createHelm, type Helm } from "../../src/helm/helm.ts";
import { kindsOf } from "../../src/kinds.ts";
import { settings } from "../../src/settings.ts";
import { LocalHelm, startChartRepository } from "../../testing/charts.ts";
import { helmBinaries } from "../../testing/helm-binaries.ts";
import { ChartServer } from "../support/chart-server.ts";
import { FakeCharts } from "../support/fake-charts.ts";

const chosen = settings.parse({});
const kinds = kindsOf(chosen);
const { AppTemplate } = kinds;

let world: World;
let server: ChartServer;
let count = 0;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  server = await ChartServer.start();
});
afterAll(async () => {
  await world?.stop();
  await server?.[Symbol.asyncDispose]();
});

function operatorWith(helm: Pick<Helm, "withChart">): Operator {
  return defineOperator({
    name: "azimuth-apps",
    controllers: [appTemplateController({ kinds, helm, fetch, settings: chosen })],
  });
}

/** An AppTemplate for one test, which ends with it. */
async function create(spec: AppTemplateSpec): Promise<string> {
  count++;
  const name = `app-${count}`;
  await world.client.create(AppTemplate, { metadata: { name }, spec: { ...spec } });
  onTestFinished(async () => {
    await world.client.delete(AppTemplate, { name });
  });
  return name;
}

async function statusOf(name: string): Promise<AppTemplateStatus> {
  return (await world.client.get(AppTemplate, { name })).status ?? {};
}

/** Resolves when the status shows these versions. */
async function offers(name: string, versions: readonly string[]): Promise<void> {
  const shown = async (): Promise<unknown> => (await statusOf(name)).versions?.map((each) => each.name);
  await expect.poll(shown).toEqual(versions);
}

/** The Events about an AppTemplate, such as `Warning SyncFailed: ...`. */
async function eventsAbout(template: string): Promise<readonly string[]> {
  const { items } = await world.client.list(Event, { namespace: "default" });
  return items
    .filter(({ regarding }) => regarding?.kind === "AppTemplate" && regarding.name === template)
    .map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
}

async function change(name: string, spec: Partial<AppTemplateSpec>): Promise<void> {
  await world.client.patch(AppTemplate, { name }, mergePatch({ spec }), { fieldOwner: "test" });
}

describe("C.10: an AppTemplate", () => {
  const charts = new FakeCharts();
  for (const version of ["1.0.0", "1.1.0"])
    charts.add(version, {
      "values.schema.json": '{"type": "object", "properties": {"a": {"default": null}}}',
    });
  charts.add("1.2.0", { "values.schema.json": "not JSON" });

  let operator: RunningOperator;
  beforeAll(async () => {
    operator = await world.runOperator(operatorWith(charts));
  });
  afterAll(() => operator?.stop());

  it("shows its chart, its versions and its label to kubectl", async () => {
    server.publish("shown", "app", [
      { version: "1.0.0", description: "Old" },
      { version: "1.1.0", description: "New", annotations: { "azimuth.stackhpc.com/label": "The App" } },
      { version: "latest" },
    ]);
    const chart = { repo: server.repo("shown"), name: "app" };
    const name = await create({ chart, syncFrequency: 600, keepVersions: 3, versionRange: ">=1.0.0" });
    await offers(name, ["1.1.0", "1.0.0"]);
    const { lastSync, ...status } = await statusOf(name);
    const valuesSchema = { type: "object", properties: { a: { default: null } } };
    expect(status).toEqual({
      label: "The App",
      description: "New",
      versions: [
        { name: "1.1.0", valuesSchema },
        { name: "1.0.0", valuesSchema },
      ],
      syncedChart: chart,
      observedGeneration: 1,
    });
    expect(Math.abs(Date.now() - Date.parse(lastSync ?? ""))).toBeLessThan(60_000);
    const row = await world.cluster.kubectl(["get", "apptemplate", name, "--no-headers", "-o", "wide"]);
    expect(row.split(/\s{2,}/).slice(0, 6)).toEqual([name, "app", ">=1.0.0", "3", "600", "The App"]);
    await expect.poll(() => eventsAbout(name)).toEqual(["Normal Synced: offers 1.1.0, 1.0.0"]);
  });

  it("shows by an Event that no version is in its range, and offers versions when that changes", async () => {
    server.publish("range", "app", [{ version: "1.0.0" }]);
    const chart = { repo: server.repo("range"), name: "app" };
    const name = await create({ chart, versionRange: ">=2.0.0" });
    await expect
      .poll(() => eventsAbout(name))
      .toEqual(["Warning NoMatchingVersions: no versions matching constraint: none of 1"]);
    await change(name, { versionRange: "about 1" });
    await expect
      .poll(() => eventsAbout(name))
      .toContain(
        'Warning InvalidVersionRange: versionRange is no range: "about 1"; write it like >=1.0.0,<2.0.0',
      );
    await change(name, { versionRange: null });
    await offers(name, ["1.0.0"]);
  });

  it("shows by an Event that its repository fails, and is synced once that works again", async () => {
    server.publish("broken", "app", [{ version: "1.0.0" }]);
    server.breakRepo("broken", (_, response) => response.writeHead(429).end());
    const name = await create({ chart: { repo: server.repo("broken"), name: "app" } });
    await expect
      .poll(() => eventsAbout(name))
      .toEqual([
        `Warning SyncFailed: read ${server.repo("broken")}/index.yaml: the repository responded with 429; the operator retries`,
      ]);
    server.repair("broken");
    await offers(name, ["1.0.0"]);
  });

  it("shows by an Event that a version cannot be read, and offers the others", async () => {
    server.publish("invalid", "app", [{ version: "1.2.0" }, { version: "1.1.0" }]);
    const name = await create({ chart: { repo: server.repo("invalid"), name: "app" } });
    await offers(name, ["1.1.0"]);
    await expect
      .poll(() => eventsAbout(name))
      .toContain("Warning VersionSkipped: version 1.2.0 is not offered: values.schema.json cannot be parsed");
  });

  it("is synced from where its repository redirects to, by HTTP alone", async () => {
    server.publish("moved-to", "app", [{ version: "1.0.0" }]);
    const target = `${server.repo("moved-to")}/index.yaml`;
    server.breakRepo("moved", (_, response) => response.writeHead(302, { location: target }).end());
    const moved = await create({ chart: { repo: server.repo("moved"), name: "app" } });
    await offers(moved, ["1.0.0"]);
    const location = "data:text/yaml,entries:%20%7Bapp:%20%5B%7Bversion:%201.0.0%7D%5D%7D";
    server.breakRepo("elsewhere", (_, response) => response.writeHead(302, { location }).end());
    const elsewhere = await create({ chart: { repo: server.repo("elsewhere"), name: "app" } });
    await expect.poll(async () => (await eventsAbout(elsewhere)).join()).toContain("Warning SyncFailed");
    expect(await statusOf(elsewhere)).toEqual({});
  });

  it("is not accepted with a chart or a number that cannot be", async () => {
    const refusal = async (spec: object): Promise<string> => {
      const input = JSON.stringify({
        apiVersion: "azimuth.stackhpc.com/v1alpha1",
        kind: "AppTemplate",
        metadata: { name: "bad" },
        spec,
      });
      return (await world.cluster.tryKubectl(["apply", "-f", "-"], { input })).stderr;
    };
    const chart = { repo: server.repo("shown"), name: "app" };
    expect(await refusal({ chart: { ...chart, repo: "oci://example.com/charts" } })).toContain(
      "spec.chart.repo",
    );
    expect(await refusal({ chart: { ...chart, name: "../app" } })).toContain("spec.chart.name");
    expect(await refusal({ chart, keepVersions: 0 })).toContain("spec.keepVersions");
    expect(await refusal({ chart, syncFrequency: 0 })).toContain("spec.syncFrequency");
  });
});

const binaries = await helmBinaries();
// Without Helm the tests are shown as left out.
const tested = binaries.length === 0 ? [{ major: 4 as const, path: "helm" }] : binaries;

describe.skipIf(binaries.length === 0).each(tested)("C.10: an AppTemplate, with Helm $major", ({ path }) => {
  it("offers the versions of real charts with their schemas", async () => {
    const folder = await mkdtemp(join(tmpdir(), "azimuth-apps-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await using repository = await startChartRepository(new LocalHelm(path, folder), folder);
    const helm = createHelm({
      settings: { ...chosen.helmClient, executable: path, unpackDirectory: folder },
      ...{ access: undefined, client: undefined, clock: systemClock, env: {} },
    });
    await using _ = await world.runOperator(operatorWith(helm));
    const notebook = await create({
      chart: { repo: repository.url, name: "notebook" },
      versionRange: ">=0.2.0",
      keepVersions: 2,
    });
    const queue = await create({ chart: { repo: repository.url, name: "queue" } });
    await offers(notebook, ["1.1.0", "1.0.0"]);
    const uiSchema = { controls: { "/size": { type: "TextControl" } }, sortOrder: ["/size"] };
    const { versions, ...shown } = await statusOf(notebook);
    expect(versions).toMatchObject([
      { uiSchema, valuesSchema: { properties: { size: { enum: ["small", "large"] } } } },
      { uiSchema },
    ]);
    expect(shown).toMatchObject({
      label: "Notebooks",
      logo: "https://icons.example.com/notebook.png",
      description: "Notebooks in the browser",
    });
    await offers(queue, ["0.2.0", "0.1.0"]);
    expect((await statusOf(queue)).versions).toEqual([{ name: "0.2.0" }, { name: "0.1.0" }]);
  });
});
