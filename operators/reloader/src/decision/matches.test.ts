import type { Stored } from "keelson";
import { describe, expect, it } from "vitest";
import {
  chosenSettings,
  config,
  keys,
  plainSettings,
  podUsing,
  readerOf,
  resource,
  type WorkloadParts,
  web,
  workload,
} from "../../test/support/decision-objects.ts";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import type { ReloaderConfigSpecInput } from "../api/spec.ts";
import { formatRef, type WatchedResource } from "../resource/watched-resource.ts";
import { gatherResources } from "./gather-resources.ts";
import { type MatchFacts, matchesOf } from "./matches.ts";

const facts: MatchFacts = {
  ...{ resources: [], baselines: {}, configs: [], namespaces: new Map(), keys, settings: plainSettings },
};

/** The matches in short: `explicit shop/Secret/db by config`. Resources are gathered as a reconcile does. */
async function found(parts: WorkloadParts, given: Partial<MatchFacts>): Promise<readonly string[]> {
  const all = { ...facts, ...given };
  const subject = workload(parts);
  const resources = (await gatherResources(readerOf([...all.resources]), subject, all)).values();
  return matchesOf(subject, { ...all, resources }).matches.map(({ resource: ref, isExplicit, origin }) => {
    const by = origin.type === "config" ? origin.config.metadata.name : "annotations";
    return `${isExplicit ? "explicit" : "auto"} ${formatRef(ref)} by ${by}`;
  });
}

const db = resource();
const listed: ReloaderConfigSpecInput = { watchedResources: { secrets: ["db"] }, targets: [web] };
const using = { pod: podUsing(["Secret", "db"]) };
const labelled = resource({ labels: { team: "shop" } });

interface Row {
  readonly of: string;
  readonly spec: ReloaderConfigSpecInput;
  readonly workload?: WorkloadParts;
  readonly config?: Parameters<typeof config>[1];
  readonly resources?: readonly WatchedResource[];
  readonly facts?: Partial<MatchFacts>;
  readonly expected: readonly string[];
}

const explicit = ["explicit shop/Secret/db by config"];
const auto = ["auto shop/Secret/db by config"];

describe("a ReloaderConfig (A.3)", () => {
  it.each<Row>([
    { of: "lists a Secret that the target need not reference", spec: listed, expected: explicit },
    {
      of: "lists another Secret",
      spec: { ...listed, watchedResources: { secrets: ["db-2"] } },
      expected: [],
    },
    {
      of: "lists a ConfigMap of that name",
      spec: { ...listed, watchedResources: { configMaps: ["db"] } },
      expected: [],
    },
    {
      of: "lists a ConfigMap",
      spec: { ...listed, watchedResources: { configMaps: ["db"] } },
      resources: [db, resource({ kind: "ConfigMap" })],
      expected: ["explicit shop/ConfigMap/db by config"],
    },
    {
      of: "lists a SecretProviderClass",
      spec: { ...listed, watchedResources: { secretProviderClasses: ["db"] } },
      resources: [resource({ kind: "SecretProviderClass" })],
      expected: ["explicit shop/SecretProviderClass/db by config"],
    },
    {
      of: "lists a name, not a pattern",
      spec: { ...listed, watchedResources: { secrets: ["d.*"] } },
      expected: [],
    },
    {
      of: "has a target of another name",
      spec: { ...listed, targets: [{ ...web, name: "api" }] },
      expected: [],
    },
    {
      of: "has a target of another kind",
      spec: { ...listed, targets: [{ ...web, kind: "StatefulSet" }] },
      expected: [],
    },
    {
      of: "has a target in another namespace",
      spec: { ...listed, targets: [{ ...web, namespace: "other" }] },
      expected: [],
    },
    {
      of: "of another namespace has the target, and counts for its own resources",
      spec: { ...listed, targets: [{ ...web, namespace: "shop" }] },
      config: { namespace: "central" },
      resources: [db, resource({ namespace: "central" })],
      expected: ["explicit central/Secret/db by config"],
    },
    { of: "has no targets", spec: { watchedResources: { secrets: ["db"] } }, expected: [] },
    {
      of: "has the alias as a target",
      spec: { ...listed, targets: [{ kind: "Rollout", name: "alias" }] },
      workload: { onAlias: {} },
      expected: explicit,
    },
    {
      of: "with autoReloadAll, of a target that uses the resource",
      spec: { targets: [web], autoReloadAll: true },
      workload: using,
      expected: auto,
    },
    {
      of: "with autoReloadAll, of a target that does not",
      spec: { targets: [web], autoReloadAll: true },
      expected: [],
    },
    {
      of: "with autoReloadAll beside a list",
      spec: { ...listed, autoReloadAll: true },
      workload: using,
      expected: explicit,
    },
    {
      of: "with autoReloadAll, of a target in another namespace: what that uses there",
      spec: { targets: [{ ...web, namespace: "shop" }], autoReloadAll: true },
      ...{ config: { namespace: "central" }, workload: using },
      resources: [db, resource({ namespace: "central" })],
      expected: auto,
    },
    {
      of: "with targeted reload, of a target that uses the resource",
      spec: {
        watchedResources: { secrets: ["db"], enableTargetedReload: true },
        targets: [{ ...web, requireReference: true }],
      },
      ...{ workload: using, expected: explicit },
    },
    {
      of: "with targeted reload, of a target that does not",
      spec: {
        watchedResources: { secrets: ["db"], enableTargetedReload: true },
        targets: [{ ...web, requireReference: true }],
      },
      expected: [],
    },
    {
      of: "with enableTargetedReload alone",
      spec: { watchedResources: { secrets: ["db"], enableTargetedReload: true }, targets: [web] },
      expected: explicit,
    },
    {
      of: "with requireReference alone",
      spec: { ...listed, targets: [{ ...web, requireReference: true }] },
      expected: explicit,
    },
    {
      of: "ignores the resource",
      spec: { ...listed, ignoreResources: [{ kind: "Secret", name: "db" }] },
      expected: [],
    },
    {
      of: "ignores a ConfigMap of that name",
      spec: { ...listed, ignoreResources: [{ kind: "ConfigMap", name: "db" }] },
      expected: explicit,
    },
    {
      of: "ignores the resource in this namespace",
      spec: { ...listed, ignoreResources: [{ kind: "Secret", name: "db", namespace: "shop" }] },
      expected: [],
    },
    {
      of: "ignores the resource in another namespace",
      spec: { ...listed, ignoreResources: [{ kind: "Secret", name: "db", namespace: "x" }] },
      expected: explicit,
    },
    {
      of: "ignores a resource that its target uses",
      spec: { targets: [web], autoReloadAll: true, ignoreResources: [{ kind: "Secret", name: "db" }] },
      ...{ workload: using, expected: [] },
    },
    {
      of: "with matchLabels that the resource has",
      spec: { ...listed, matchLabels: { team: "shop" } },
      resources: [labelled],
      expected: explicit,
    },
    {
      of: "with matchLabels that it does not have",
      spec: { ...listed, matchLabels: { team: "x" } },
      resources: [labelled],
      expected: [],
    },
    {
      of: "with matchLabels and autoReloadAll",
      spec: { targets: [web], autoReloadAll: true, matchLabels: { team: "x" } },
      workload: using,
      expected: [],
    },
    {
      of: "with a resourceSelector beside a list",
      spec: {
        ...listed,
        watchedResources: { secrets: ["db", "other"], resourceSelector: { matchLabels: { team: "shop" } } },
      },
      resources: [
        labelled,
        resource({ name: "other" }),
        resource({ name: "third", labels: { team: "shop" } }),
      ],
      expected: explicit,
    },
    {
      of: "with a resourceSelector and no list: all kinds",
      spec: {
        targets: [web],
        watchedResources: { resourceSelector: { matchExpressions: [{ key: "team", operator: "Exists" }] } },
      },
      resources: [
        labelled,
        resource({ name: "other" }),
        resource({ kind: "ConfigMap", labels: { team: "x" } }),
      ],
      expected: ["explicit shop/ConfigMap/db by config", ...explicit],
    },
    {
      of: "with a resourceSelector and autoReloadAll: what is used and selected",
      spec: {
        targets: [web],
        autoReloadAll: true,
        watchedResources: { resourceSelector: { matchLabels: { team: "shop" } } },
      },
      workload: { pod: podUsing(["Secret", "db"], ["Secret", "plain"]) },
      resources: [
        labelled,
        resource({ name: "plain" }),
        resource({ name: "third", labels: { team: "shop" } }),
      ],
      expected: auto,
    },
    {
      of: "with a namespaceSelector: a list in the namespaces that it selects, and its own",
      spec: {
        ...listed,
        watchedResources: { secrets: ["db"], namespaceSelector: { matchLabels: { shared: "yes" } } },
      },
      resources: [db, resource({ namespace: "a" }), resource({ namespace: "b" })],
      facts: {
        namespaces: new Map([
          ["a", { shared: "yes" }],
          ["b", {}],
          ["shop", {}],
        ]),
      },
      expected: ["explicit a/Secret/db by config", ...explicit],
    },
    {
      of: "with both selectors",
      spec: {
        targets: [web],
        watchedResources: { resourceSelector: { matchLabels: { team: "shop" } }, namespaceSelector: {} },
      },
      resources: [
        resource({ namespace: "a", labels: { team: "shop" } }),
        resource({ namespace: "a", name: "x" }),
      ],
      facts: { namespaces: new Map([["a", {}]]) },
      expected: ["explicit a/Secret/db by config"],
    },
    {
      of: "is ignored itself",
      spec: listed,
      config: { annotations: { [keys.ignore]: "true" } },
      expected: [],
    },
    {
      of: "lists a resource that is ignored",
      spec: listed,
      resources: [resource({ annotations: { [keys.ignore]: "true" } })],
      expected: [],
    },
    {
      of: "has a target that is ignored",
      spec: listed,
      workload: { annotations: { [keys.ignore]: "true" } },
      expected: [],
    },
    {
      of: "has a target that excludes the resource",
      spec: listed,
      workload: { annotations: { [keys.excluded.Secret]: "db" } },
      expected: [],
    },
    {
      of: "of another namespace has a target that excludes a resource of its own namespace",
      spec: { ...listed, targets: [{ ...web, namespace: "shop" }] },
      ...{ config: { namespace: "central" }, workload: { annotations: { [keys.excluded.Secret]: "db" } } },
      resources: [resource({ namespace: "central" })],
      expected: ["explicit central/Secret/db by config"],
    },
    {
      of: "has a target with auto false",
      spec: listed,
      workload: { annotations: { [keys.auto]: "false" } },
      expected: explicit,
    },
  ])(
    "$of: $expected",
    async ({ spec, workload: parts = {}, config: meta = {}, resources = [db], facts: more, expected }) => {
      expect(await found(parts, { configs: [config(spec, meta)], resources, ...more })).toEqual(expected);
    },
  );
});

describe("the matches of a workload", () => {
  const annotations = { [keys.named.Secret]: "db", [keys.auto]: "true" };

  it("have one entry for each origin, the annotations first and the configs by name", async () => {
    const configs = [
      config(listed, { name: "b" }),
      config({ targets: [web], autoReloadAll: true }, { name: "a" }),
    ];
    expect(await found({ ...using, annotations }, { configs, resources: [db] })).toEqual([
      "explicit shop/Secret/db by annotations",
      "auto shop/Secret/db by a",
      "explicit shop/Secret/db by b",
    ]);
  });

  it("distinguish a Secret and a ConfigMap of the same name", async () => {
    const both = [db, resource({ kind: "ConfigMap" })];
    expect(await found({ annotations: { [keys.named.ConfigMap]: "db" } }, { resources: both })).toEqual([
      "explicit shop/ConfigMap/db by annotations",
    ]);
  });

  it("do not include resources of other namespaces by annotations", async () => {
    const elsewhere = [resource({ namespace: "other" })];
    expect(await found({ annotations }, { resources: elsewhere })).toEqual([]);
    expect(await found({ annotations: { [keys.named.Secret]: ".*" } }, { resources: elsewhere })).toEqual([]);
  });

  it("include what a pattern matches", async () => {
    const resources = ["db-1", "db-2", "cache"].map((name) => resource({ name }));
    expect(await found({ annotations: { [keys.named.Secret]: "db-.*" } }, { resources })).toEqual([
      "explicit shop/Secret/db-1 by annotations",
      "explicit shop/Secret/db-2 by annotations",
    ]);
  });

  it("report an invalid pattern and go on", () => {
    const subject = workload({ annotations: { [keys.named.Secret]: "(,db" } });
    const { matches, problems } = matchesOf(subject, { ...facts, resources: [db] });
    expect(matches).toHaveLength(1);
    expect(problems).toEqual([expect.stringContaining('"(" is not a regular expression')]);
  });

  it.each([
    ["a workload kind that is ignored", { ignoredWorkloadTypes: ["deployments"] }],
    ["a kind of resources that is ignored", { resourcesToIgnore: ["secrets"] }],
    ["a namespace that is ignored", { namespacesToIgnore: ["shop"] }],
    ["a namespace that is not selected", { namespaceSelector: ["team=other"] }],
  ])("leave out %s, whether the resource exists or not", async (_, given) => {
    const configs = [config({ ...listed, reloadOnDelete: true })];
    const namespaces = new Map([["shop", { team: "shop" }]]);
    const all = {
      configs,
      namespaces,
      settings: chosenSettings(given),
      baselines: { "shop/Secret/db": "1" },
    };
    expect(await found({ ...using, annotations }, { ...all, resources: [db] })).toEqual([]);
    expect(await found({ ...using, annotations }, { ...all, resources: [] })).toEqual([]);
  });

  it("include resources of a namespace that is selected", async () => {
    const settings = chosenSettings({ namespaceSelector: ["team=shop"] });
    const namespaces = new Map([["shop", { team: "shop" }]]);
    expect(await found({ annotations }, { resources: [db], namespaces, settings })).toHaveLength(1);
  });

  it("leave out SecretProviderClasses without the CSI integration", async () => {
    const mount = resource({ kind: "SecretProviderClass" });
    const named = { annotations: { [keys.named.SecretProviderClass]: "db" } };
    expect(await found(named, { resources: [mount] })).toHaveLength(1);
    expect(await found(named, { resources: [mount], settings: chosenSettings({ csi: false }) })).toEqual([]);
  });
});

describe("a recorded resource that does not exist any more", () => {
  const baselines = { "shop/Secret/db": "1" };
  const configs: readonly Stored<ReloaderConfig>[] = [config({ ...listed, matchLabels: { team: "shop" } })];

  it("counts by what it was recorded for", async () => {
    expect(await found({ annotations: { [keys.named.Secret]: "db" } }, { baselines })).toEqual([
      "explicit shop/Secret/db by annotations",
    ]);
    expect(await found({ ...using, annotations: { [keys.search]: "true" } }, { baselines })).toEqual([
      "auto shop/Secret/db by annotations",
    ]);
    expect(await found({}, { baselines, configs })).toEqual(explicit);
  });

  it("does not count if nothing names or uses it any more", async () => {
    expect(await found({ annotations: { [keys.auto]: "true" } }, { baselines })).toEqual([]);
    expect(await found({}, { baselines, configs: [config({ targets: [web] })] })).toEqual([]);
  });

  it("does not count if it is a SecretProviderClass: without pods nothing is mounted", async () => {
    const annotations = { [keys.named.SecretProviderClass]: "db" };
    expect(await found({ annotations }, { baselines: { "shop/SecretProviderClass/db": "1" } })).toEqual([]);
  });

  it("is not one that exists and was not gathered for another reason", async () => {
    const ignored = resource({ annotations: { [keys.ignore]: "true" } });
    expect(
      await found({ annotations: { [keys.search]: "true" }, ...using }, { baselines, resources: [ignored] }),
    ).toEqual([]);
  });

  it("is nothing if its text is not a resource", async () => {
    expect(
      await found({ annotations: { [keys.named.Secret]: ".*" } }, { baselines: { "a/b": "1", "": "2" } }),
    ).toEqual([]);
  });
});
