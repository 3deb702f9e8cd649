import { createHash } from "node:crypto";
import { type RunningOperator, startWorld, type World } from "@keelson/testkit";
import { jsonPatch, type KubeObject, type Resource } from "keelson";
import { DaemonSet, Deployment, StatefulSet } from "keelson/kinds/apps/v1";
import type { PodTemplateSpec } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, expect, it } from "vitest";
import { reloader } from "../../src/operator.ts";
import { ReloaderSpace, usingContainer } from "../support/space.ts";

// The steps of docs/migrate-from-stakater-reloader.md, in their order.

let world: World;
let space: ReloaderSpace;
let operator: RunningOperator;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  space = await ReloaderSpace.create(world);
});
afterAll(() => world?.stop());

/** The hash that upstream writes for a resource with one key. */
const upstreamHash = (key: string, value: string): string =>
  createHash("sha1").update(`${key}=${value}`).digest("hex");

const auto = { "reloader.stakater.com/auto": "true" };
const pausePeriod = { "deployment.reloader.stakater.com/pause-period": "1h" };
const ago = (minutes: number): string =>
  `${new Date(Date.now() - minutes * 60_000).toISOString().slice(0, 19)}Z`;

/** The pods of a workload that uses the Secret `db`, with the variable that upstream has set for content. */
function template(app: string, password?: string, annotations = {}): PodTemplateSpec {
  const variable = { name: "STAKATER_DB_SECRET", value: upstreamHash("password", password ?? "") };
  const container = usingContainer({ secret: "db" });
  return {
    metadata: { labels: { app }, annotations },
    spec: { containers: [{ ...container, ...(password !== undefined && { env: [variable] }) }] },
  };
}

/** The annotation that upstream's strategy `annotations` writes. */
function reloadedFrom(type: string, name: string, hash: string): Readonly<Record<string, string>> {
  const source = { type, name, namespace: space.namespace, hash, containerRefs: ["app"], observedAt: 1 };
  return { "reloader.stakater.com/last-reloaded-from": JSON.stringify(source) };
}

interface WorkloadOptions {
  readonly annotations?: object;
  readonly template: PodTemplateSpec;
  readonly spec?: object;
}

async function createWorkload(
  kind: string,
  name: string,
  { annotations = auto, template: pods, spec }: WorkloadOptions,
) {
  await space.applyManifest({
    ...{ apiVersion: "apps/v1", kind },
    metadata: { namespace: space.namespace, name, annotations },
    spec: { selector: { matchLabels: { app: name } }, template: pods, ...spec },
  });
}

type Apps = KubeObject & { readonly spec?: { readonly template: PodTemplateSpec } };

const workloads: readonly (readonly [Resource<Apps>, string])[] = [
  [Deployment, "variable"],
  [Deployment, "plain"],
  [StatefulSet, "named"],
  [DaemonSet, "annotated"],
  [Deployment, "paused"],
  [Deployment, "stuck"],
];

/** The pod templates of all workloads, by name. */
async function templates(): Promise<Readonly<Record<string, unknown>>> {
  const objects = await Promise.all(workloads.map(([kind, name]) => space.get(kind, name)));
  return Object.fromEntries(objects.map(({ metadata, spec }) => [metadata.name, spec?.template]));
}

/** The value of a variable of the first container. */
async function variable(name: string, variableName: string): Promise<string | undefined> {
  const { spec } = await space.get(Deployment, name);
  return spec?.template.spec?.containers[0]?.env?.find((each) => each.name === variableName)?.value;
}

/** What upstream does after a change of the Secret. */
async function upstreamReloads(password: string): Promise<void> {
  const hash = upstreamHash("password", password);
  for (const [kind, name] of workloads) {
    const annotation = "/spec/template/metadata/annotations/reloader.stakater.com~1last-reloaded-from";
    const env = "/spec/template/spec/containers/0/env";
    const value = [{ name: "STAKATER_DB_SECRET", value: hash }];
    const [source] = Object.values(reloadedFrom("SECRET", "db", hash));
    const operation =
      name === "annotated"
        ? ({ op: "add", path: annotation, value: source } as const)
        : ({ op: "add", path: env, value } as const);
    await world.client.patch(kind, { namespace: space.namespace, name }, jsonPatch([operation]));
  }
}

const isPaused = async (name: string): Promise<boolean> =>
  (await space.get(Deployment, name)).spec?.paused ?? false;

/** Runs the operator until it knows all workloads. */
async function runOperator(settings: object): Promise<void> {
  operator = await world.runOperator(reloader, { settings: { coalesceWindow: "200ms", ...settings } });
  for (const [{ kind }, name] of workloads) await space.isAdopted(name, kind.toLowerCase());
  await operator.idle();
}

it("changes no template beside upstream, in the mode notify", async () => {
  await space.createSecret("db", { password: "one" });
  await createWorkload("Deployment", "variable", { template: template("variable", "one") });
  await createWorkload("Deployment", "plain", { template: template("plain") });
  await createWorkload("StatefulSet", "named", {
    annotations: { "secret.reloader.stakater.com/reload": "db" },
    template: template("named", "one"),
    spec: { serviceName: "named" },
  });
  await createWorkload("DaemonSet", "annotated", {
    template: template("annotated", undefined, reloadedFrom("SECRET", "db", upstreamHash("password", "one"))),
  });
  await createWorkload("Deployment", "paused", {
    annotations: { ...auto, ...pausePeriod, "deployment.reloader.stakater.com/paused-at": ago(10) },
    template: template("paused", "one"),
    spec: { paused: true },
  });
  await createWorkload("Deployment", "stuck", {
    annotations: { ...auto, ...pausePeriod, "deployment.reloader.stakater.com/paused-at": ago(90) },
    template: template("stuck", "one"),
    spec: { paused: true },
  });
  const before = await templates();
  await runOperator({ mode: "notify" });

  // Upstream reloads a workload for a change, which ours only reports.
  await space.changeSecret("db", { password: "two" });
  const reported = async () =>
    (await space.eventsAbout(Deployment, "variable")).includes("Normal ChangeNotified");
  await expect.poll(reported, { timeout: 15_000 }).toBe(true);
  await operator.idle();
  expect(await templates()).toEqual(before);
  expect([await isPaused("paused"), await isPaused("stuck")]).toEqual([true, true]);
  await upstreamReloads("two");
  await operator.stop();
});

it("changes no template when it takes over, also for what upstream has rolled out meanwhile", async () => {
  await space.changeSecret("db", { password: "three" });
  await upstreamReloads("three");
  const before = await templates();
  await runOperator({});
  expect(await templates()).toEqual(before);
});

it("goes on with pauses of upstream, and ends those that upstream has lost", async () => {
  await expect.poll(() => isPaused("stuck"), { timeout: 15_000 }).toBe(false);
  expect(await isPaused("paused")).toBe(true);
});

it("reloads each workload once for a change, and keeps upstream's variable and annotation true", async () => {
  const generations = async () =>
    Object.fromEntries(
      await Promise.all(
        workloads.map(async ([kind, name]) => [name, (await space.get(kind, name)).metadata.generation ?? 0]),
      ),
    );
  const before = await generations();
  await space.changeSecret("db", { password: "four" });
  const hash = upstreamHash("password", "four");
  await expect.poll(() => variable("variable", "STAKATER_DB_SECRET"), { timeout: 15_000 }).toBe(hash);
  const annotated = async () =>
    (await space.get(DaemonSet, "annotated")).spec?.template.metadata?.annotations;
  await expect
    .poll(async () => (await annotated())?.["reloader.stakater.com/last-reloaded-from"], { timeout: 15_000 })
    .toContain(`"hash":"${hash}"`);
  for (const [{ kind }, name] of workloads) {
    const count = async () => (await space.record(name, kind.toLowerCase()))?.status?.reloadCount;
    await expect.poll(count, { timeout: 15_000 }).toBe(1);
  }
  await operator.idle();
  const after = await generations();
  expect(Object.keys(before).map((name) => [name, after[name] - before[name]])).toEqual(
    workloads.map(([, name]) => [name, 1]),
  );
  const { managedFields = [] } = (await space.get(Deployment, "variable")).metadata;
  expect(managedFields.map(({ manager }) => manager)).toContain("reloader");
  // Upstream finds its own hash in the variable, and so nothing to do.
  expect(await variable("variable", "STAKATER_DB_SECRET")).toBe(hash);
  expect(await variable("variable", "RELOADER_TRIGGERED_AT")).toBeUndefined();
});

it("reloads for a change that was made while neither ran", async () => {
  await operator.stop();
  await createWorkload("Deployment", "missed", { template: template("missed", "two") });
  operator = await world.runOperator(reloader, { settings: { coalesceWindow: "200ms" } });
  await expect
    .poll(() => variable("missed", "STAKATER_DB_SECRET"), { timeout: 15_000 })
    .toBe(upstreamHash("password", "four"));
  await operator.idle();
  expect((await space.record("missed"))?.status?.reloadCount).toBe(1);
});
