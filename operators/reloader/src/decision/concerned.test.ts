import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  config,
  keys,
  plainSettings,
  podOf,
  podUsing,
  readerOf,
  resource,
  type Texts,
  type WorkloadParts,
  web,
  workload,
} from "../../test/support/decision-objects.ts";
import type { ReloaderConfigSpecInput } from "../api/spec.ts";
import { concernedTargets, concernValues, configConcerns, workloadConcerns } from "./concerned.ts";
import { gatherResources } from "./gather-resources.ts";
import { matchesOf } from "./matches.ts";

const off = { autoReloadAll: false };
const using = podUsing(["Secret", "db"], ["ConfigMap", "app"]);

describe("the resources that may concern a workload", () => {
  const concerns = (parts: WorkloadParts, settings = off) =>
    workloadConcerns(workload(parts), keys, settings);

  it.each<[string, WorkloadParts, { autoReloadAll: boolean }, readonly string[]]>([
    ["without annotations", { pod: using }, off, []],
    [
      "with names",
      { annotations: { [keys.named.Secret]: "a,b" }, pod: using },
      off,
      ["Secret/a", "Secret/b"],
    ],
    ["with a pattern", { annotations: { [keys.named.ConfigMap]: "a.*" } }, off, ["ConfigMap/*"]],
    ["with auto", { annotations: { [keys.auto]: "true" }, pod: using }, off, ["ConfigMap/app", "Secret/db"]],
    ["with typed auto", { annotations: { [keys.typedAuto.Secret]: "true" }, pod: using }, off, ["Secret/db"]],
    [
      "with search",
      { annotations: { [keys.search]: "true" }, pod: using },
      off,
      ["ConfigMap/app", "Secret/db"],
    ],
    ["with auto-reload-all", { pod: using }, { autoReloadAll: true }, ["ConfigMap/app", "Secret/db"]],
    ["with auto and nothing used", { annotations: { [keys.auto]: "true" }, pod: podOf() }, off, []],
    ["with ignore", { annotations: { [keys.auto]: "true", [keys.ignore]: "true" }, pod: using }, off, []],
  ])("%s", (_, parts, settings, expected) => {
    expect(concerns(parts, settings)).toEqual(expected);
  });
});

describe("the resources that may concern a ReloaderConfig", () => {
  it.each<[string, ReloaderConfigSpecInput, Texts, readonly string[]]>([
    [
      "with names",
      { watchedResources: { secrets: ["a", "a"], configMaps: ["b"] } },
      {},
      ["ConfigMap/b", "Secret/a"],
    ],
    ["with autoReloadAll", { autoReloadAll: true }, {}, ["ConfigMap/*", "Secret/*", "SecretProviderClass/*"]],
    [
      "with a resourceSelector",
      { watchedResources: { resourceSelector: {} } },
      {},
      ["ConfigMap/*", "Secret/*", "SecretProviderClass/*"],
    ],
    ["with ignore", { watchedResources: { secrets: ["a"] } }, { [keys.ignore]: "true" }, []],
  ])("%s", (_, spec, annotations, expected) => {
    expect(configConcerns(config(spec, { annotations }), keys)).toEqual(expected);
  });
});

describe("the targets that a resource concerns", () => {
  const other = { kind: "StatefulSet", name: "db", namespace: "other" } as const;
  const db = { kind: "Secret", namespace: "shop", name: "db" } as const;
  const names = (spec: ReloaderConfigSpecInput, ref = db, namespaces = new Map<string, Texts>()) =>
    concernedTargets(config({ targets: [web, other], ...spec }), ref, namespaces).map(({ name }) => name);

  it("are all for a resource that is named, in whatever namespace they are", () => {
    expect(names({ watchedResources: { secrets: ["db"] } })).toEqual(["web", "db"]);
    expect(names({ watchedResources: { configMaps: ["db"] } })).toEqual([]);
  });

  it("are those in the namespace of the resource, if it counts by being used", () => {
    expect(names({ autoReloadAll: true })).toEqual(["web"]);
  });

  it("are none for a resource of a namespace that is not selected", () => {
    const spec = { watchedResources: { secrets: ["db"], namespaceSelector: { matchLabels: { a: "1" } } } };
    const elsewhere = { ...db, namespace: "elsewhere" } as const;
    const inNamespace = (labels: Texts) =>
      concernedTargets(config({ targets: [web], ...spec }), elsewhere, new Map([["elsewhere", labels]]));
    expect(inNamespace({ a: "1" })).toEqual([{ ...web, namespace: "shop" }]);
    expect(inNamespace({ a: "2" })).toEqual([]);
  });
});

describe("workloads and ReloaderConfigs that a resource matches", () => {
  const name = fc.constantFrom("a", "b", "a-b");
  const list = fc
    .array(fc.constantFrom("a", "b", "a.*", "[ab]", "("), { maxLength: 2 })
    .map((items) => items.join(","));
  const kind = fc.constantFrom("Secret", "ConfigMap", "SecretProviderClass");
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const boolean = fc.constantFrom("true", "false", "1", "");
  const annotations = fc
    .record({
      ...{
        [keys.auto]: optional(boolean),
        [keys.typedAuto.Secret]: optional(boolean),
        [keys.search]: optional(boolean),
      },
      ...{ [keys.named.Secret]: optional(list), [keys.named.ConfigMap]: optional(list) },
      ...{ [keys.excluded.Secret]: optional(list), [keys.ignore]: optional(boolean) },
    })
    .map(
      (entries): Texts =>
        Object.fromEntries(
          Object.entries(entries).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
        ),
    );
  const pod = fc.array(fc.tuple(fc.constantFrom("Secret" as const, "ConfigMap" as const), name), {
    maxLength: 3,
  });
  const namespace = fc.constantFrom("shop", "other");
  const target = fc.record({ kind: fc.constant("Deployment" as const), name: fc.constant("web"), namespace });
  const names = fc.uniqueArray(name, { maxLength: 2 });
  const spec = fc.record(
    {
      targets: fc.array(target, { maxLength: 1 }),
      autoReloadAll: fc.boolean(),
      watchedResources: fc.record(
        {
          ...{ secrets: names, configMaps: names, secretProviderClasses: names },
          ...{
            resourceSelector: fc.constant({}),
            namespaceSelector: fc.constant({ matchLabels: { a: "1" } }),
          },
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  );

  it("are found by the values of the resource, which a reconcile of them reads", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ onWorkload: annotations, onTemplate: annotations, pod, spec, kind, name }),
        fc.record({
          workloadIn: namespace,
          resourceIn: namespace,
          configIn: namespace,
          onResource: boolean,
          all: fc.boolean(),
        }),
        async (given, places) => {
          const subject = workload({
            ...{ namespace: places.workloadIn, annotations: given.onWorkload, onTemplate: given.onTemplate },
            pod: podUsing(...given.pod),
          });
          const changed = resource({
            ...{ kind: given.kind, name: given.name, namespace: places.resourceIn },
            annotations: { [keys.match]: places.onResource },
          });
          const owner = config(given.spec, { namespace: places.configIn });
          const namespaces = new Map([
            ["other", { a: "1" }],
            ["shop", {}],
          ]);
          const settings = { ...plainSettings, autoReloadAll: places.all };
          const facts = { baselines: {}, configs: [owner], namespaces, keys, settings };
          const { matches } = matchesOf(subject, { ...facts, resources: [changed] });
          const read = await gatherResources(readerOf([changed]), subject, facts);
          if (matches.length > 0) expect([...read.values()]).toEqual([changed]);
          const values = concernValues(changed);
          const isFoundIn = (concerns: readonly string[]) => values.some((value) => concerns.includes(value));
          for (const { origin } of matches) {
            if (origin.type === "annotations")
              expect(isFoundIn(workloadConcerns(subject, keys, settings))).toBe(true);
            else {
              expect(isFoundIn(configConcerns(owner, keys))).toBe(true);
              expect(concernedTargets(owner, changed, namespaces)).toContainEqual({
                ...{ kind: "Deployment", namespace: places.workloadIn, name: "web" },
              });
            }
          }
        },
      ),
      { numRuns: 3000 },
    );
  });
});
