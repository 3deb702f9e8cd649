import { createHash } from "node:crypto";
import { type RunningOperator, startWorld, type World } from "@keelson/testkit";
import type { Container } from "keelson/kinds/core/v1";
import { PodDisruptionBudget } from "keelson/kinds/policy/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { annotationKeys } from "../../src/api/annotation-keys.ts";
import { reloader } from "../../src/operator.ts";
import { workloadOf } from "../../src/workload/workload-kinds.ts";
import { ReloaderSpace, usingContainer } from "../support/space.ts";
import { createWorkload, getWorkload, readyPods } from "../support/workloads.ts";

let world: World;
let operator: RunningOperator;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL, { nodes: 2 });
  operator = await world.runOperator(reloader, { settings: { coalesceWindow: "100ms" } });
});
afterAll(() => world?.stop());

const keys = annotationKeys();
const auto = { [keys.auto]: "true" };
const restart = { ...auto, [keys.rolloutStrategy]: "restart" };

describe("one change of a Secret", () => {
  const kinds = ["Deployment", "StatefulSet", "DaemonSet"] as const;
  const strategies = {
    "env-vars": auto,
    annotations: { ...auto, [keys.reloadStrategy]: "annotations" },
    restart,
  };
  const names = kinds.flatMap((kind) =>
    Object.entries(strategies).map(([strategy, annotations]) => ({
      ...{ kind, strategy, annotations, name: `${kind.toLowerCase()}-${strategy}` },
    })),
  );

  it("replaces the pods of every kind under every strategy, once", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { password: "one" });
    for (const { kind, name, annotations } of names) await createWorkload(space, kind, name, { annotations });
    const podsOf = async () => Promise.all(names.map(({ name }) => readyPods(space, name)));
    await expect.poll(async () => (await podsOf()).map(({ length }) => length)).toEqual(names.map(() => 2));
    const before = new Set((await podsOf()).flat().map(({ metadata }) => metadata.uid));
    for (const { kind, name } of names) await space.isAdopted(name, kind.toLowerCase());
    const generations = await Promise.all(names.map(({ kind, name }) => getWorkload(space, kind, name)));
    await space.changeSecret("db", { password: "two" });
    const replaced = async () =>
      (await podsOf()).map((pods) => pods.filter(({ metadata }) => !before.has(metadata.uid)).length);
    await expect.poll(replaced, { timeout: 50_000 }).toEqual(names.map(() => 2));
    for (const [index, { kind, name, strategy }] of names.entries()) {
      await expect
        .poll(async () => (await space.record(name, kind.toLowerCase()))?.status)
        .toMatchObject({ reloadCount: 1, lastReload: { strategy } });
      const object = await getWorkload(space, kind, name);
      const { template } = workloadOf(kind, object);
      const written = Object.keys(template?.metadata?.annotations ?? {}).sort();
      const variables = (template?.spec?.containers[0]?.env ?? []).map((variable) => variable.name);
      const isSame = object.metadata.generation === generations[index]?.metadata.generation;
      expect({ name, written, variables, isSame }).toEqual({
        name,
        written: {
          "env-vars": [keys.lastReload, keys.resourceHash],
          annotations: [keys.lastReload, keys.lastReloadedFrom, keys.resourceHash],
          restart: [],
        }[strategy],
        variables: strategy === "env-vars" ? ["RELOADER_TRIGGERED_AT"] : [],
        isSame: strategy === "restart",
      });
    }
    await operator.idle();
  });
});

describe("a workload that upstream has reloaded", () => {
  const hashOf = (password: string) => createHash("sha1").update(`password=${password}`).digest("hex");

  it("is adopted as it is, and keeps upstream's variable", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { password: "one" });
    await createWorkload(space, "Deployment", "web", {
      annotations: auto,
      pod: { containers: [carrying(hashOf("one"))] },
    });
    await space.isAdopted("web");
    await operator.idle();
    expect((await getWorkload(space, "Deployment", "web")).metadata.generation).toBe(1);
    await space.changeSecret("db", { password: "two" });
    const { spec } = await space.isReloaded("web");
    expect(spec?.template.spec?.containers[0]?.env).toEqual([
      { name: "STAKATER_DB_SECRET", value: hashOf("two") },
    ]);
  });

  it("is reloaded once if the content has changed since", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { password: "two" });
    await createWorkload(space, "Deployment", "web", {
      annotations: auto,
      pod: { containers: [carrying(hashOf("one"))] },
    });
    const { spec } = await space.isReloaded("web");
    expect(spec?.template.spec?.containers[0]?.env).toEqual([
      { name: "STAKATER_DB_SECRET", value: hashOf("two") },
    ]);
    await operator.idle();
    expect(await space.reloadsOf("web")).toBe(1);
  });

  function carrying(value: string): Container {
    return { ...usingContainer({ secret: "db" }), env: [{ name: "STAKATER_DB_SECRET", value }] };
  }
});

describe("a restart", () => {
  it("waits for a PodDisruptionBudget, which its record shows, and goes on while later changes wait", async () => {
    const space = await ReloaderSpace.create(world);
    const { namespace } = space;
    await space.createSecret("db", { password: "one" });
    await createWorkload(space, "Deployment", "web");
    await space.createConfig("mine", {
      watchedResources: { secrets: ["db"] },
      targets: [{ kind: "Deployment", name: "web", rolloutStrategy: "restart", pausePeriod: "1h" }],
    });
    await world.client.create(PodDisruptionBudget, {
      metadata: { namespace, name: "web" },
      spec: { minAvailable: 2, selector: { matchLabels: { app: "web" } } },
    });
    await expect
      .poll(async () => (await space.get(PodDisruptionBudget, "web")).status?.currentHealthy)
      .toBe(2);
    await space.isAdopted("web");
    await space.changeSecret("db", { password: "two" });
    const statusOf = async () => (await space.record("web"))?.status;
    await expect
      .poll(async () => (await statusOf())?.restart?.message)
      .toMatch(/^Pod web-.* may not be evicted now: .*disruption budget/);
    await space.changeSecret("db", { password: "three" });
    await expect.poll(async () => (await statusOf())?.pending?.reason).toBe("Paused");
    await space.kubectl("patch", "pdb", "web", "--type=merge", "-p", '{"spec":{"minAvailable":1}}');
    await expect.poll(async () => (await statusOf())?.restart, { timeout: 40_000 }).toBeUndefined();
    expect(await statusOf()).toMatchObject({ reloadCount: 1, pending: { reason: "Paused" } });
  });
});
