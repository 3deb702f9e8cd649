import { type RunningOperator, startWorld, type World } from "@keelson/testkit";
import { mergePatch } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { ConfigMap, Namespace, Secret } from "keelson/kinds/core/v1";
import { Event } from "keelson/kinds/events/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ReloaderConfigSpecInput } from "../../src/api/spec.ts";
import { reloader } from "../../src/operator.ts";
import { keys, podUsing } from "../support/decision-objects.ts";
import { expectReloads } from "../support/reload-table.ts";
import { ReloaderSpace, usingContainer } from "../support/space.ts";

let world: World;
let operator: RunningOperator;

const settings = { coalesceWindow: "50ms" };

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  operator = await world.runOperator(reloader, { settings });
});
afterAll(() => world?.stop());

const usesDb = { replicas: 0, spec: podUsing(["Secret", "db"]) };
const auto = { [keys.auto]: "true" };

/** Resolves when the operator has rolled out a change that was made after all others. */
async function seesEverything(space: ReloaderSpace): Promise<void> {
  const name = "control";
  await space.createSecret(name, { key: "one" });
  await space.createDeployment(name, { replicas: 0, annotations: { [keys.named.Secret]: name } });
  await space.isAdopted(name);
  await space.changeSecret(name, { key: "two" });
  await space.isReloaded(name);
  await operator.idle();
}

describe("a workload that is matched three ways", () => {
  it("is reloaded once, for each of the ReloaderConfigs", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { key: "one" });
    const annotations = { ...auto, [keys.named.Secret]: "d.*,db" };
    await space.createDeployment("web", { ...usesDb, annotations });
    const targets = [{ kind: "Deployment", name: "web" }] as const;
    await space.createConfig("a", { watchedResources: { secrets: ["db"] }, targets: [...targets] });
    await space.createConfig("b", { autoReloadAll: true, targets: [...targets] });
    await space.isAdopted("web");
    await space.changeSecret("db", { key: "two" });
    await space.isReloaded("web");
    await seesEverything(space);
    expect(await space.reloadsOf("web")).toBe(1);
    expect((await space.record("web"))?.status?.configs).toMatchObject([
      { name: "a", reloadCount: 1 },
      { name: "b", reloadCount: 1 },
    ]);
  });
});

describe("a Secret and a ConfigMap of one name", () => {
  it("each reload the Deployments that use it, and not those that use the other", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { key: "one" });
    await space.createConfigMap("db", { key: "one" });
    const choice = { replicas: 0, annotations: auto };
    await space.createDeployment("secret", {
      ...choice,
      spec: { containers: [usingContainer({ secret: "db" })] },
    });
    await space.createDeployment("map", {
      ...choice,
      spec: { containers: [usingContainer({ configMap: "db" })] },
    });
    await Promise.all([space.isAdopted("secret"), space.isAdopted("map")]);
    await space.changeConfigMap("db", { key: "two" });
    await space.isReloaded("map");
    expect(await space.reloadsOf("secret")).toBe(0);
    await space.changeSecret("db", { key: "two" });
    await space.isReloaded("secret");
    expect(await space.reloadsOf("map")).toBe(1);
  });
});

describe("a change of a resource that is not one of its content", () => {
  it("reloads nothing", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { key: "one" });
    await space.createConfigMap("db", { key: "one" });
    await space.createDeployment("web", {
      ...{ replicas: 0, annotations: auto },
      spec: { containers: [usingContainer({ secret: "db", configMap: "db" })] },
    });
    await space.isAdopted("web");
    for (const kind of ["secret", "configmap"]) {
      await space.kubectl("label", kind, "db", "team=shop");
      await space.kubectl("annotate", kind, "db", "note=changed");
    }
    await seesEverything(space);
    expect(await space.reloadsOf("web")).toBe(0);
  });
});

describe("invalid annotations", () => {
  it("are reported on the workload with what to write instead, and what is valid counts", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { key: "one" });
    const annotations = { [keys.named.Secret]: "db(,db,*", [keys.auto]: "yes", [keys.mode]: "silent" };
    await space.createDeployment("web", { replicas: 0, annotations });
    const messages = async () =>
      (await space.list(Event))
        .filter(({ regarding, type }) => regarding?.name === "web" && type === "Warning")
        .map(({ note }) => note ?? "")
        .sort();
    await expect
      .poll(messages)
      .toEqual([
        expect.stringMatching(/^.*auto: "yes" counts as "false"; write "true" or "false"/),
        expect.stringMatching(/mode: "silent" has no effect; write reload or notify/),
        expect.stringMatching(/reload: "\*" is not a regular expression .*; write a name or a pattern/),
        expect.stringMatching(/reload: "db\(" is not a regular expression .*; write a name or a pattern/),
      ]);
    await space.changeSecret("db", { key: "two" });
    await space.isReloaded("web");
    expect(await messages()).toHaveLength(4);
  });

  it("that would take ages to match do not delay other workloads", async () => {
    const space = await ReloaderSpace.create(world);
    const patterns = ["(a+)+$", "(.*a){20}", "([a-z]+)*\\d", "(a?){400}", "(x+x+)+y"].join(",");
    await space.createDeployment("hostile", { replicas: 0, annotations: { [keys.named.Secret]: patterns } });
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        space.createSecret(`${"a".repeat(200)}-${index}`, { key: "one" }),
      ),
    );
    await seesEverything(space);
  });
});

describe("a Secret of 1 MB", () => {
  it("reloads a Deployment when its last byte changes", async () => {
    const space = await ReloaderSpace.create(world);
    const { namespace } = space;
    const data = (last: string) => ({
      file: Buffer.from(`${"x".repeat(1_000_000)}${last}`).toString("base64"),
    });
    await world.client.create(Secret, { metadata: { namespace, name: "db" }, data: data("1") });
    await space.createDeployment("web", { ...usesDb, annotations: auto });
    await space.isAdopted("web");
    await world.client.patch(Secret, { namespace, name: "db" }, mergePatch({ data: data("2") }));
    await space.isReloaded("web");
    expect(JSON.stringify(await space.record("web")).length).toBeLessThan(5_000);
  });
});

describe("Secrets of Helm", () => {
  it("do not count, even if they are named", async () => {
    const space = await ReloaderSpace.create(world);
    const { namespace } = space;
    const release = { namespace, name: "sh.helm.release.v1.web.v1" };
    await world.client.create(Secret, {
      ...{ metadata: release, type: "helm.sh/release.v1", data: { release: "MQ==" } },
    });
    await space.createDeployment("web", { replicas: 0, annotations: { [keys.named.Secret]: ".*" } });
    await world.client.patch(Secret, release, mergePatch({ data: { release: "Mg==" } }));
    await seesEverything(space);
    expect(Object.keys((await space.record("web"))?.status?.baselines ?? {})).toEqual([
      `${namespace}/Secret/control`,
    ]);
  });
});

describe("ReloaderConfigs (A.3)", () => {
  interface Row {
    readonly of: string;
    readonly spec: ReloaderConfigSpecInput;
    readonly uses?: boolean;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly onConfig?: Readonly<Record<string, string>>;
    readonly isReloaded: boolean;
  }
  const listed = { secrets: ["db"] };
  const rows: readonly Row[] = [
    { of: "a list", spec: { watchedResources: listed }, isReloaded: true },
    {
      of: "another list",
      spec: { watchedResources: { secrets: ["other"], configMaps: ["db"] } },
      isReloaded: false,
    },
    {
      of: "autoReloadAll of a target that uses it",
      spec: { autoReloadAll: true },
      uses: true,
      isReloaded: true,
    },
    { of: "autoReloadAll of a target that does not", spec: { autoReloadAll: true }, isReloaded: false },
    {
      of: "matchLabels",
      spec: { watchedResources: listed, matchLabels: { team: "shop" } },
      isReloaded: true,
    },
    {
      of: "other matchLabels",
      spec: { watchedResources: listed, matchLabels: { team: "x" } },
      isReloaded: false,
    },
    {
      of: "a resourceSelector",
      spec: { watchedResources: { resourceSelector: { matchLabels: { team: "shop" } } } },
      isReloaded: true,
    },
    {
      of: "another resourceSelector",
      spec: { watchedResources: { resourceSelector: { matchLabels: { team: "x" } } } },
      isReloaded: false,
    },
    {
      of: "ignoreResources",
      spec: { watchedResources: listed, ignoreResources: [{ kind: "Secret", name: "db" }] },
      isReloaded: false,
    },
    {
      of: "the annotation ignore of the config",
      spec: { watchedResources: listed },
      onConfig: { [keys.ignore]: "true" },
      isReloaded: false,
    },
    {
      of: "the annotation ignore of the target",
      spec: { watchedResources: listed },
      annotations: { [keys.ignore]: "true" },
      isReloaded: false,
    },
    {
      of: "an exclude of the target",
      spec: { watchedResources: listed },
      annotations: { [keys.excluded.Secret]: "db" },
      isReloaded: false,
    },
  ];

  it("decide which of their targets a change reloads", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { key: "one" }, { labels: { team: "shop" } });
    await Promise.all(
      // The rows of `expectReloads` begin with 1.
      rows.map(({ spec, onConfig: annotations = {} }, index) => {
        const targets = [{ kind: "Deployment" as const, name: `row-${index + 1}` }];
        return space.createConfig(`config-${index}`, { ...spec, targets }, { annotations });
      }),
    );
    await expectReloads(
      space,
      "Secret",
      rows.map(({ of, uses = false, annotations = {}, isReloaded }) => ({
        ...{ of, annotations, isReloaded },
        ...(uses && { pod: podUsing(["Secret", "db"]) }),
      })),
      () => operator.idle(),
    );
  });

  it("reload targets of other namespaces, for resources of their own and of selected namespaces", async () => {
    const [home, shared, away] = await Promise.all([1, 2, 3].map(() => ReloaderSpace.create(world)));
    if (home === undefined || shared === undefined || away === undefined) throw new Error("no namespaces");
    await world.client.patch(
      Namespace,
      { name: shared.namespace },
      mergePatch({ metadata: { labels: { shared: "yes" } } }),
    );
    for (const space of [home, shared, away]) await space.createSecret("db", { key: "one" });
    await away.createDeployment("web", { replicas: 0 });
    await home.createConfig("mine", {
      watchedResources: { secrets: ["db"], namespaceSelector: { matchLabels: { shared: "yes" } } },
      targets: [{ kind: "Deployment", name: "web", namespace: away.namespace }],
    });
    await away.isAdopted("web");
    await home.changeSecret("db", { key: "two" });
    await away.isReloaded("web", 1);
    await shared.changeSecret("db", { key: "two" });
    await away.isReloaded("web", 2);
    await away.changeSecret("db", { key: "two" });
    await seesEverything(away);
    expect(await away.reloadsOf("web")).toBe(2);
  });
});

describe("settings", () => {
  it("leave out kinds, namespaces and resources", async () => {
    await operator.stop();
    const [space, ignored, unselected] = await Promise.all([1, 2, 3].map(() => ReloaderSpace.create(world)));
    if (space === undefined || ignored === undefined || unselected === undefined)
      throw new Error("no namespaces");
    for (const { namespace } of [space, ignored])
      await world.client.patch(
        Namespace,
        { name: namespace },
        mergePatch({ metadata: { labels: { watched: "yes" } } }),
      );
    operator = await world.runOperator(reloader, {
      settings: {
        ...{ ...settings, resourcesToIgnore: ["configmaps"], namespacesToIgnore: [ignored.namespace] },
        ...{ namespaceSelector: ["watched=yes"], resourceLabelSelector: ["reload=yes"] },
        annotationPrefix: "example.com",
      },
    });
    const labels = { reload: "yes" };
    const annotations = { "secret.example.com/reload": ".*", "configmap.example.com/reload": ".*" };
    for (const each of [space, ignored, unselected]) {
      await each.createSecret("db", { key: "one" }, { labels });
      await each.createSecret("plain", { key: "one" });
      await each.createConfigMap("db", { key: "one" }, { labels });
      await each.createDeployment("web", { replicas: 0, annotations });
      await each.createDeployment("upstream", { replicas: 0, annotations: { [keys.named.Secret]: "db" } });
    }
    await space.isAdopted("web");
    const change = async (each: ReloaderSpace, name: string) => {
      const { namespace } = each;
      await world.client.patch(ConfigMap, { namespace, name: "db" }, mergePatch({ data: { key: "two" } }));
      await each.changeSecret(name, { key: "two" });
    };
    for (const each of [ignored, unselected]) await change(each, "db");
    await change(space, "plain");
    await space.changeSecret("db", { key: "two" });
    await space.isReloaded("web");
    await operator.idle();
    expect(Object.keys((await space.record("web"))?.status?.baselines ?? {})).toEqual([
      `${space.namespace}/Secret/db`,
    ]);
    const reloads = async (each: ReloaderSpace) =>
      (await each.list(Deployment)).map(({ metadata }) => (metadata.generation ?? 1) - 1);
    expect(await reloads(space)).toEqual([0, 1]);
    expect(await reloads(ignored)).toEqual([0, 0]);
    expect(await reloads(unselected)).toEqual([0, 0]);
  });
});
