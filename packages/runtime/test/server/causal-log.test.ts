import { ConflictError, mergePatch } from "@keelson/client";
import { systemClock, systemRandom } from "@keelson/core";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { Scale } from "@keelson/core/kinds/autoscaling/v1";
import { ConfigMap, Secret } from "@keelson/core/kinds/core/v1";
import { afterAll, expect, it, onTestFinished } from "vitest";
import type { CacheSettings } from "../../src/cache/cache-settings.ts";
import { controller } from "../../src/controller/builder.ts";
import { CausalLog } from "../../src/controller/causal/causal-log.ts";
import { Controller } from "../../src/controller/controller.ts";
import { type CacheWorld, startCacheLab } from "../support/cache-world.ts";
import { deployment } from "../support/owner-world.ts";

const lab = await startCacheLab();
const { admin } = lab;
afterAll(() => lab.stop());

async function world(settings: CacheSettings = {}): Promise<CacheWorld> {
  const made = await lab.world(settings);
  made.start();
  return made;
}

it("records what a run read from the cache and from the server, what it changed, and which write changed nothing", async () => {
  const { namespace, client } = await world();
  const key = { namespace, name: "settings" };
  await admin.create(ConfigMap, { metadata: key, data: { colour: "blue", mode: "auto" } });
  const log = new CausalLog({ clock: systemClock });
  const recorder = log.begin("settings", { reconcileId: "1", reasons: [], queuedMs: 0, priority: 0 });
  const recorded = client.with((next) => recorder.layer(next));
  const stale = await recorded.get(ConfigMap, key);
  await recorded.get(ConfigMap, key, { resourceVersion: "0" });
  const written = await recorded.patch(
    ConfigMap,
    key,
    mergePatch({ data: { colour: null, mode: "manual" } }),
  );
  await recorded.patch(ConfigMap, key, mergePatch({ data: { mode: "manual" } }));
  await expect(recorded.update(ConfigMap, stale)).rejects.toThrow(ConflictError);
  await recorded.delete(ConfigMap, key);
  recorder.end({ result: "success" });
  const version = written.metadata.resourceVersion;
  const calls = log.runs("settings")[0]?.calls.map(({ ms, ...rest }) => rest);
  const name = `configmaps ${namespace}/settings`;
  const read = {
    call: `get ${name}`,
    kind: "read",
    outcome: "ok",
    resourceVersion: stale.metadata.resourceVersion,
  };
  const write = { call: `patch ${name}`, kind: "write", fromCache: false, resourceVersion: version };
  expect(calls).toEqual([
    { ...read, fromCache: true },
    { ...read, fromCache: false },
    { ...write, outcome: "ok", changedPaths: ["data.colour", "data.mode"] },
    { ...write, outcome: "noop" },
    { call: `update ${name}`, kind: "write", fromCache: false, outcome: "CONFLICT" },
    { call: `delete ${name}`, kind: "write", fromCache: false, outcome: "ok" },
  ]);
});

it("records a read that the cache forwards to the server as a read of the server", async () => {
  const { namespace, client, transport } = await world({ readTimeoutMs: 200 });
  const key = { namespace, name: "web" };
  await client.apply(Deployment, { ...deployment, metadata: key }, { fieldOwner: "test" });
  await client.list(Deployment, { namespace });
  expect(transport.blackholeStreams({ watch: true })).toBeGreaterThan(0);
  const log = new CausalLog({ clock: systemClock });
  const recorder = log.begin("web", { reconcileId: "1", reasons: [], queuedMs: 0, priority: 0 });
  const recorded = client.with((next) => recorder.layer(next));
  await recorded.get(Deployment, key);
  // Only the watch shows what a scale changed, so that the cache cannot serve the next read.
  await recorded.subresource(Deployment, "scale", Scale).patch(key, mergePatch({ spec: { replicas: 3 } }));
  await recorded.get(Deployment, key);
  await recorded.get(Deployment, key);
  recorder.end({ result: "success" });
  const [run] = log.runs("web");
  expect(run?.calls.filter(({ kind }) => kind === "read").map(({ fromCache }) => fromCache)).toEqual([
    true,
    false,
    true,
  ]);
});

it("recognizes a repeated apply as a no-op although nothing was read", async () => {
  const { namespace, client } = await world();
  const log = new CausalLog({ clock: systemClock });
  for (let count = 0; count < 3; count++) {
    const recorder = log.begin("a", { reconcileId: String(count), reasons: [], queuedMs: 0, priority: 0 });
    const recorded = client.with((next) => recorder.layer(next));
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "a" } } as const;
    await recorded.apply(Secret, { ...secret, data: { password: "aHVudGVyMg==" } }, { fieldOwner: "test" });
    recorder.end({ result: "success" });
  }
  expect(log.runs("a").map(({ calls: [call] }) => call?.outcome)).toEqual(["noop", "noop", "ok"]);
  expect(JSON.stringify(log.runs("a"))).not.toContain("aHVudGVyMg==");
});

it("explains the runs of a controller: what changed, what the run did, and when the next one follows", async () => {
  const { namespace, cache, client } = await world();
  const key = { namespace, name: "settings" };
  await admin.create(ConfigMap, { metadata: key });
  const definition = controller(ConfigMap).reconcile(async ({ object, client: own }) => {
    if (object.metadata.namespace !== namespace) return undefined;
    const seen = object.data?.wanted ?? "nothing";
    if (object.data?.seen !== seen) await own.patch(ConfigMap, key, mergePatch({ data: { seen } }));
    return { requeueAfterMs: 30_000 };
  });
  const environment = {
    client: admin,
    cachedClient: client,
    cache,
    clock: systemClock,
    random: systemRandom,
  };
  const explained = new Controller(definition, environment, undefined);
  const stop = new AbortController();
  const running = explained.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  const text = (): string => explained.causalLog.explain(`${namespace}/settings`);
  await expect.poll(text).toContain("changed: data (for configmaps)");
  expect(text()).toContain(`because  ConfigMap ${namespace}/settings existed at the start (for configmaps)`);
  await admin.patch(ConfigMap, key, mergePatch({ data: { other: "b", wanted: "a" } }));
  const why = `because  ConfigMap ${namespace}/settings changed: data.other, data.wanted (for configmaps)`;
  await expect.poll(text).toContain(why);
  const run = explained.causalLog
    .runs(`${namespace}/settings`)
    .find(({ reasons }) => reasons.some(({ changedPaths }) => changedPaths?.includes("data.wanted")));
  const reason = run?.reasons.find(({ type }) => type === "update");
  expect(reason?.object).toEqual({ kind: "ConfigMap", ...key, resourceVersion: expect.any(String) });
  expect(run).toMatchObject({ result: "requeue_after", requeueAfterMs: 30_000 });
  expect(run?.calls[0]).toMatchObject({
    call: `get configmaps ${namespace}/settings`,
    fromCache: true,
    outcome: "ok",
  });
  expect(run?.calls.at(-1)).toMatchObject({ call: `patch configmaps ${namespace}/settings`, outcome: "ok" });
  expect(text()).toContain("again    in 30 s");
});
