import { startWorld, type World } from "@keelson/testkit";
import { findCondition, mergePatch, type Stored } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { Secret } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ReloaderConfig } from "../../src/api/reloader-config.ts";
import type { ReloaderConfigStatus } from "../../src/api/status.ts";
import { reloader } from "../../src/operator.ts";
import { ReloaderSpace, usingContainer } from "../support/space.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  await world.runOperator(reloader, { settings: { coalesceWindow: "100ms" } });
});
afterAll(() => world?.stop());

const target = { kind: "Deployment", name: "web" } as const;
const hash = expect.stringMatching(/^[0-9a-f]{64}$/);

/** Resolves with the status when it has these fields. */
async function shows(space: ReloaderSpace, fields: object, name = "mine"): Promise<ReloaderConfigStatus> {
  const status = async () => (await space.get(ReloaderConfig, name)).status;
  await expect.poll(status, { timeout: 15_000 }).toMatchObject(fields);
  return (await status()) ?? {};
}

/** A condition, for `shows`. */
const condition = (type: string, status: string, reason: string) => ({
  conditions: expect.arrayContaining([expect.objectContaining({ type, status, reason })]),
});

const messageOf = (status: ReloaderConfigStatus, type: string) =>
  findCondition(status.conditions, type)?.message;

const versionOf = async (space: ReloaderSpace): Promise<string> =>
  (await space.get(ReloaderConfig, "mine")).metadata.resourceVersion;

describe("the status of a ReloaderConfig", () => {
  it("shows hashes and targets, and after a change the reload", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { password: "1" });
    await space.createDeployment("web", { spec: { containers: [usingContainer({ secret: "db" })] } });
    await space.createConfig("mine", { watchedResources: { secrets: ["db"] }, targets: [target] });
    await space.isAdopted("web");
    const ref = `${space.namespace}/Secret/db`;
    const before = await shows(space, {
      ...{ observedGeneration: 1, strategy: "env-vars", targets: 1, reloadCount: 0 },
      watchedResourceHashes: { [ref]: hash },
      targetStatus: [{ ...target, namespace: space.namespace, reloadCount: 0 }],
      ...condition("Available", "True", "Reconciled"),
    });
    expect(
      before.conditions?.map(({ type, status, observedGeneration }) => [type, status, observedGeneration]),
    ).toEqual([
      ["Available", "True", 1],
      ["Progressing", "False", 1],
      ["Degraded", "False", 1],
    ]);
    await space.changeSecret("db", { password: "2" });
    await space.isReloaded("web");
    const after = await shows(space, { reloadCount: 1, targetStatus: [{ reloadCount: 1 }] });
    expect(after.watchedResourceHashes?.[ref]).not.toBe(before.watchedResourceHashes?.[ref]);
    expect(after.lastReloadTime).toBe(after.targetStatus?.[0]?.lastReloadTime);
    expect(after.conditions).toEqual(before.conditions);
    const table = await space.kubectl("get", "rlc", "mine");
    expect(table).toMatch(/NAME\s+STRATEGY\s+TARGETS\s+RELOADS\s+LAST RELOAD\s+AGE/);
    expect(table).toMatch(/mine\s+env-vars\s+1\s+1\s/);
  });

  it("shows what is missing until it is created", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createConfig("mine", {
      watchedResources: { secrets: ["db"], configMaps: ["app"] },
      targets: [target, { kind: "Rollout", name: "web" }],
    });
    const degraded = await shows(space, condition("Degraded", "True", "TargetNotFound"));
    expect(messageOf(degraded, "Degraded")).toBe(
      "Target Deployment/web not found; Target Rollout/web cannot exist: the API server does not serve Rollouts; ConfigMap app not found; Secret db not found",
    );
    await shows(space, condition("Available", "False", "TargetNotFound"));
    expect(await space.eventsAbout(ReloaderConfig, "mine")).toContain("Warning TargetNotFound");
    await space.createDeployment("web");
    await shows(space, condition("Degraded", "True", "KindNotServed"));
    const spec = { targets: [target] };
    await world.client.patch(
      ReloaderConfig,
      { namespace: space.namespace, name: "mine" },
      mergePatch({ spec }),
    );
    await shows(space, condition("Degraded", "True", "ResourceNotFound"));
    await shows(space, condition("Available", "True", "Reconciled"));
    await space.createConfigMap("app", { a: "1" });
    await space.createSecret("db", { a: "1" });
    const status = await shows(space, {
      ...condition("Degraded", "False", "Reconciled"),
      observedGeneration: 2,
    });
    expect(Object.keys(status.watchedResourceHashes ?? {})).toHaveLength(2);
    await world.client.delete(Secret, { namespace: space.namespace, name: "db" });
    await shows(space, condition("Degraded", "True", "ResourceNotFound"));
  });

  it("keeps the count of a target that is created again", async () => {
    const space = await ReloaderSpace.create(world);
    const { namespace } = space;
    await space.createSecret("db", { a: "1" });
    await space.createDeployment("web");
    await space.createConfig("mine", { watchedResources: { secrets: ["db"] }, targets: [target] });
    await space.isAdopted("web");
    await space.changeSecret("db", { a: "2" });
    await shows(space, { reloadCount: 1 });
    await world.client.delete(Deployment, { namespace, name: "web" }, { propagationPolicy: "Background" });
    await shows(space, { ...condition("Degraded", "True", "TargetNotFound"), reloadCount: 1 });
    await space.createDeployment("web");
    await shows(space, condition("Degraded", "False", "Reconciled"));
    await space.isAdopted("web");
    await space.changeSecret("db", { a: "3" });
    await shows(space, { reloadCount: 2, targetStatus: [{ reloadCount: 2 }] });
  });

  it("shows a pause, and that changes wait", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { a: "1" });
    await space.createDeployment("web");
    await space.createConfig("mine", {
      watchedResources: { secrets: ["db"] },
      targets: [{ ...target, pausePeriod: "1h" }],
    });
    await space.isAdopted("web");
    await space.changeSecret("db", { a: "2" });
    await shows(space, { reloadCount: 1, targetStatus: [{ pausedUntil: expect.any(String) }] });
    await space.changeSecret("db", { a: "3" });
    await shows(space, {
      ...condition("Progressing", "True", "ReloadPending"),
      targetStatus: [{ pending: "Paused", reloadCount: 1 }],
    });
  });

  it("shows alert channels whose URL cannot be read, until it can", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { a: "1" });
    await space.createDeployment("web");
    const alerts = { slack: { secretRef: { name: "hook" } } };
    await space.createConfig("mine", { watchedResources: { secrets: ["db"] }, targets: [target], alerts });
    const problem = condition("Degraded", "True", "AlertChannelUnresolved");
    expect(messageOf(await shows(space, problem), "Degraded")).toContain("Secret hook does not exist");
    await space.createSecret("hook", { other: "https://hooks.example.com/token" });
    await expect
      .poll(async () => messageOf(await shows(space, problem), "Degraded"))
      .toContain("Secret hook has no key url");
    await space.changeSecret("hook", { url: "http://10.0.0.1/token" });
    await expect
      .poll(async () => messageOf(await shows(space, problem), "Degraded"))
      .toContain("in key url of Secret hook cannot be used");
    expect(JSON.stringify(await space.get(ReloaderConfig, "mine"))).not.toContain("10.0.0.1");
    await space.changeSecret("hook", { url: "https://hooks.example.com/token" });
    await shows(space, condition("Degraded", "False", "Reconciled"));
  });

  it("shows that a Job has to allow to be replaced", async () => {
    const space = await ReloaderSpace.create(world);
    await space.kubectl("create", "job", "once", "--image=nginx:alpine");
    await space.createConfig("mine", { autoReloadAll: true, targets: [{ kind: "Job", name: "once" }] });
    const status = await shows(space, condition("Degraded", "True", "TargetNotReloadable"));
    expect(messageOf(status, "Degraded")).toContain("job-policy: recreate");
  });

  it("shows a config that is ignored", async () => {
    const space = await ReloaderSpace.create(world);
    const annotations = { "reloader.stakater.com/ignore": "true" };
    await space.createConfig("mine", { targets: [target] }, { annotations });
    await shows(space, condition("Available", "False", "Ignored"));
    await space.kubectl("annotate", "rlc", "mine", "reloader.stakater.com/ignore-");
    await shows(space, condition("Available", "False", "TargetNotFound"));
  });

  it("has the hashes of what is selected, and of what targets use", async () => {
    const space = await ReloaderSpace.create(world);
    const labels = { tier: "web" };
    await space.createSecret("a", { a: "1" }, { labels });
    await space.createSecret("b", { a: "1" });
    await space.createConfigMap("used", { a: "1" });
    await space.createDeployment("web", { spec: { containers: [usingContainer({ configMap: "used" })] } });
    await space.createConfig("mine", {
      watchedResources: { resourceSelector: { matchLabels: labels } },
      targets: [target],
    });
    await space.createConfig("auto", { autoReloadAll: true, targets: [target] });
    await shows(space, { watchedResourceHashes: { [`${space.namespace}/Secret/a`]: hash } });
    const status = await shows(
      space,
      { watchedResourceHashes: { [`${space.namespace}/ConfigMap/used`]: hash } },
      "auto",
    );
    expect(Object.keys(status.watchedResourceHashes ?? {})).toHaveLength(1);
  });
});

it("writes nothing to Secrets, and no status without a difference", async () => {
  const space = await ReloaderSpace.create(world);
  const secret = await space.createSecret("db", { a: "1" });
  await space.createDeployment("web");
  await space.createConfig("mine", { watchedResources: { secrets: ["db"] }, targets: [target] });
  await shows(space, condition("Available", "True", "Reconciled"));
  await space.isAdopted("web");
  const version = await versionOf(space);
  await space.kubectl("annotate", "secret", "db", "example.com/note=1");
  await space.kubectl("annotate", "deployment", "web", "example.com/note=1");
  await space.kubectl("annotate", "rlc", "mine", "example.com/note=1");
  await expect.poll(() => versionOf(space)).not.toBe(version);
  const { metadata } = await space.get(Secret, "db");
  expect(Number(metadata.resourceVersion)).toBeGreaterThan(Number(secret.metadata.resourceVersion));
  expect(metadata.managedFields?.map(({ manager }) => manager)).not.toContain("reloader");
  const stored: Stored<ReloaderConfig> = await space.get(ReloaderConfig, "mine");
  expect(stored.status?.reloadCount).toBe(0);
});

it("records hashes on named resources if the settings say so", async () => {
  const space = await ReloaderSpace.create(world);
  const { namespace } = space;
  const operator = await world.runOperator(reloader, {
    namespaces: [namespace],
    settings: { recordHashOnResources: true },
  });
  await space.createSecret("db", { a: "1" });
  await space.createSecret("other", { a: "1" });
  await space.createConfigMap("app", { a: "1" });
  await space.createConfig("mine", {
    watchedResources: { secrets: ["db"], configMaps: ["app"] },
    targets: [target],
  });
  const recorded = async (kind: string, name: string) =>
    space.kubectl(
      "get",
      kind,
      name,
      "-o",
      String.raw`jsonpath={.metadata.annotations.reloader\.stakater\.com/last-hash}`,
    );
  await expect.poll(() => recorded("secret", "db")).toEqual(hash);
  await expect.poll(() => recorded("configmap", "app")).toEqual(hash);
  const first = await recorded("secret", "db");
  await space.changeSecret("db", { a: "2" });
  await expect.poll(() => recorded("secret", "db")).not.toBe(first);
  const { status } = await space.get(ReloaderConfig, "mine");
  await expect
    .poll(() => recorded("secret", "db"))
    .toBe(status?.watchedResourceHashes?.[`${namespace}/Secret/db`]);
  expect(await recorded("secret", "other")).toBe("");
  await operator.stop();
});
