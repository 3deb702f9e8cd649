import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import { field, type Stage } from "../stage.ts";
import {
  type Custom,
  defineWidgets,
  definitionPath,
  groupOf,
  removeDefinition,
  untilServed,
  widget,
  widgets,
} from "./custom-kinds.ts";
import type { Fields } from "./manifests.ts";

const text = { type: "string" };
const texts = { type: "array", items: text };
const table = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
const metadataOnly = { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" };

/** Every default that counts as empty somewhere. */
const emptyDefaults: Fields = {
  list: { ...texts, default: [] },
  nullableList: { ...texts, nullable: true, default: [] },
  map: { type: "object", additionalProperties: text, default: {} },
  object: {
    type: "object",
    default: {},
    properties: { number: { type: "integer", default: 0 }, list: { ...texts, default: [] } },
  },
  text: { ...text, default: "" },
  choice: { ...text, enum: [""], default: "" },
  number: { type: "integer", default: 0 },
  fraction: { type: "number", default: 0.0 },
  flag: { type: "boolean", default: false },
  nothing: { ...text, nullable: true, default: null },
  either: { "x-kubernetes-int-or-string": true, default: 0 },
  anything: { "x-kubernetes-preserve-unknown-fields": true, default: [] },
  free: {
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
    default: { a: null, b: [], c: [null] },
  },
  items: {
    type: "array",
    default: [{}],
    items: {
      type: "object",
      properties: { list: { ...texts, default: [] }, text: { ...text, default: "" } },
    },
  },
  entries: {
    type: "object",
    additionalProperties: { type: "object", properties: { list: { ...texts, default: [] } } },
  },
};

const statusWithDefaults: Fields = {
  type: "object",
  default: { conditions: [{ type: "Accepted", status: "Unknown" }], list: [] },
  properties: {
    conditions: { type: "array", items: { type: "object", properties: { type: text, status: text } } },
    list: texts,
    number: { type: "integer", default: 0 },
  },
};

function schemaOf(spec: Fields, status: Fields = statusWithDefaults): Fields {
  return { type: "object", properties: { spec: { type: "object", properties: spec }, status } };
}

function version(name: string, schema: Fields, more: Fields = {}): Fields {
  return { name, served: true, storage: name === "v1", schema: { openAPIV3Schema: schema }, ...more };
}

/** The definition of the case with other versions; resolves when a read of widget `a` shows it. */
async function redefine(
  stage: Stage,
  versions: readonly Fields[],
  isInForce: (object: unknown) => boolean,
  readVersion = "v1",
): Promise<void> {
  await stage.quietly({
    method: "PATCH",
    path: definitionPath(stage),
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ spec: { versions } }),
  });
  await stage.until(widgets(stage, "/a", readVersion), isInForce);
}

/** Defines widgets, plays the steps and removes the definition. */
function customCase(name: string, custom: Custom, run: (stage: Stage) => Promise<void>): ConformanceCase {
  return conforms(name, async (stage) => {
    await defineWidgets(stage, custom);
    await run(stage);
    await removeDefinition(stage);
  });
}

const before = schemaOf({ kept: text, dropped: text, map: { type: "object", additionalProperties: text } });
const after = schemaOf({
  kept: text,
  added: { ...text, default: "new" },
  list: { ...texts, default: [] },
  map: { type: "object", additionalProperties: text },
});
const old: Fields = { spec: { kept: "1", dropped: "2", map: {} } };

/** A widget `a` that was stored before its definition changed. */
function staleCase(name: string, run: (stage: Stage) => Promise<void>, more: Fields = {}): ConformanceCase {
  return customCase(name, { version: { schema: { openAPIV3Schema: before }, ...more } }, async (stage) => {
    await stage.prepare(widgets(stage), widget(stage, "a", old));
    await redefine(stage, [version("v1", after, more)], hasAdded);
    await run(stage);
  });
}

const hasAdded = (object: unknown): boolean => field(object, "spec.added") === "new";
const withStatus = { subresources: { status: {} } };
const withColumns = {
  additionalPrinterColumns: [
    { name: "Added", type: "string", jsonPath: ".spec.added" },
    { name: "Dropped", type: "string", jsonPath: ".spec.dropped" },
  ],
};

async function recordVersionChange(stage: Stage, write: () => Promise<unknown>): Promise<void> {
  const versionOf = (object: unknown): unknown => field(object, "metadata.resourceVersion");
  const first = versionOf(await stage.get(widgets(stage, "/a")));
  await write();
  const second = versionOf(await stage.get(widgets(stage, "/a")));
  stage.record("the resource version changed", first !== second);
}

export const customReadCases: CaseGroup = {
  title: "defaults and pruning of custom objects",
  cases: [
    ...[{}, withStatus].map((subresources) =>
      customCase(
        `empty defaults count as any other, ${subresources === withStatus ? "with" : "without"} a status subresource`,
        { schema: schemaOf(emptyDefaults), version: subresources },
        async (stage) => {
          await stage.get(definitionPath(stage));
          await stage.create(widgets(stage), widget(stage, "none"));
          await stage.create(widgets(stage), widget(stage, "a", { spec: {} }));
          await stage.create(widgets(stage, "?dryRun=All"), widget(stage, "dry", { spec: {} }));
          const nulls = Object.fromEntries(Object.keys(emptyDefaults).map((name) => [name, null]));
          await stage.create(widgets(stage), widget(stage, "nulls", { spec: nulls }));
          const entries = { one: {}, two: null };
          await stage.create(
            widgets(stage),
            widget(stage, "b", { spec: { entries, items: [{}, { list: null }] }, status: { number: 4 } }),
          );
          await stage.apply(
            widgets(stage, "/c?fieldManager=ann"),
            widget(stage, "c", { spec: { list: ["a"] } }),
          );
          await stage.get(widgets(stage));
          await stage.patch(widgets(stage, "/a"), { spec: { list: ["a"] } });
          await stage.patch(widgets(stage, "/a"), { spec: { list: null } });
          await stage.patch(widgets(stage, "/a/status"), { status: { list: ["b"] } });
          await stage.patch(widgets(stage, "/a/status"), { status: null });
        },
      ),
    ),
    staleCase(
      "an object that was stored before is read with new defaults and without old fields",
      async (stage) => {
        await stage.get(widgets(stage, "/a"));
        await stage.get(widgets(stage));
        await stage.get(widgets(stage, "/a?resourceVersion=0"));
        await stage.get(widgets(stage, "?limit=1"));
      },
    ),
    staleCase(
      "a table shows an object that was stored before as it is read",
      async (stage) => {
        await stage.get(widgets(stage), { headers: table });
        await stage.get(widgets(stage, "?includeObject=Object"), { headers: table });
        await stage.get(widgets(stage), { headers: metadataOnly });
        await stage.kubectl(`get widgets.${groupOf(stage)}`);
      },
      withColumns,
    ),
    staleCase("a watch shows an object that was stored before as it is read", async (stage) => {
      const initial =
        "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
      await stage.watch(widgets(stage, initial), 2);
      await stage.watch(widgets(stage, "?watch=1&resourceVersion=0"), 1);
      const list = await stage.get(widgets(stage));
      const from = field(list, "metadata.resourceVersion");
      await stage.patch(widgets(stage, "/a"), { metadata: { labels: { seen: "yes" } } });
      await stage.delete(widgets(stage, "/a"));
      await stage.watch(widgets(stage, `?watch=1&resourceVersion=${from}`), 2);
    }),
    staleCase("an update without a change stores an object as it is read", async (stage) => {
      const object = await stage.get(widgets(stage, "/a"));
      await recordVersionChange(stage, () => stage.replace(widgets(stage, "/a"), object));
      await recordVersionChange(stage, () => stage.patch(widgets(stage, "/a"), {}));
    }),
    staleCase("a patch of an object that was stored before sees it as it is read", async (stage) => {
      await stage.jsonPatch(widgets(stage, "/a"), [{ op: "test", path: "/spec/added", value: "new" }]);
      await stage.jsonPatch(widgets(stage, "/a"), [{ op: "remove", path: "/spec/dropped" }]);
      await stage.patch(widgets(stage, "/a"), { spec: { kept: "3" } });
      await stage.apply(
        widgets(stage, "/a?fieldManager=ann&force=true"),
        widget(stage, "a", { spec: { added: "mine" } }),
      );
    }),
    staleCase(
      "a status subresource keeps the defaults of the status",
      async (stage) => {
        await stage.get(widgets(stage, "/a/status"));
        await stage.patch(widgets(stage, "/a"), { spec: { kept: "4" } });
        await stage.patch(widgets(stage, "/a/status"), { status: { number: 5 } });
        await stage.get(widgets(stage, "/a"));
      },
      withStatus,
    ),
    customCase(
      "a field selector sees the defaults of an object that was stored before",
      { version: { schema: { openAPIV3Schema: before } } },
      async (stage) => {
        await stage.prepare(widgets(stage), widget(stage, "a", old));
        const selectable = { selectableFields: [{ jsonPath: ".spec.added" }] };
        await redefine(stage, [version("v1", after, selectable)], hasAdded);
        await stage.get(widgets(stage, "?fieldSelector=spec.added%3Dnew"));
        await stage.get(widgets(stage, "?fieldSelector=spec.added%3Dold"));
      },
    ),
    customCase(
      "a null that is no longer allowed is removed, or replaced by the default",
      { spec: { gone: { ...text, nullable: true }, filled: { ...text, nullable: true }, free: text } },
      async (stage) => {
        await stage.prepare(
          widgets(stage),
          widget(stage, "a", { spec: { gone: null, filled: null, free: "x" } }),
        );
        const next = schemaOf({ gone: text, filled: { ...text, default: "y" }, free: text });
        await redefine(stage, [version("v1", next)], (object) => field(object, "spec.filled") === "y");
        await stage.get(widgets(stage, "/a"));
      },
    ),
    conforms("each version prunes, and the stored version sets defaults", async (stage) => {
      const v1 = schemaOf({ both: text, first: text, one: { ...text, default: "1" } }, { type: "object" });
      const v2 = schemaOf({ both: text, second: text, two: { ...text, default: "2" } }, { type: "object" });
      await defineWidgets(stage, { definition: { versions: [version("v1", v1), version("v2", v2)] } });
      await untilServed(stage, "v2");
      const all = { both: "x", first: "y", second: "z" };
      await stage.create(widgets(stage), widget(stage, "a", { spec: all }));
      await stage.create(widgets(stage, "", "v2"), widget(stage, "b", { spec: all }, "v2"));
      for (const name of ["a", "b"]) {
        await stage.get(widgets(stage, `/${name}`));
        await stage.get(widgets(stage, `/${name}`, "v2"));
      }
      await stage.patch(widgets(stage, "/a", "v2"), { spec: { second: "w" } });
      await stage.get(widgets(stage, "/a"));
      await stage.watch(widgets(stage, "?watch=1&resourceVersion=0", "v2"), 2);
      await removeDefinition(stage);
    }),
    conforms(
      "an object that is stored in an old version gets the defaults of that version",
      async (stage) => {
        const v1 = schemaOf({ both: text, one: { ...text, default: "1" } }, { type: "object" });
        const v2 = schemaOf({ both: text, one: text, two: { ...text, default: "2" } }, { type: "object" });
        const versions = [version("v1", v1), version("v2", v2)];
        await defineWidgets(stage, { definition: { versions } });
        await untilServed(stage, "v2");
        await stage.prepare(widgets(stage), widget(stage, "a", { spec: { both: "x" } }));
        const next = [
          version(
            "v1",
            schemaOf({ both: text, one: { ...text, default: "9" }, late: { ...text, default: "l" } }),
            {
              storage: false,
            },
          ),
          version("v2", v2, { storage: true }),
        ];
        await redefine(stage, next, (object) => field(object, "spec.late") === "l");
        await stage.get(widgets(stage, "/a"));
        await stage.get(widgets(stage, "/a", "v2"));
        await stage.patch(widgets(stage, "/a", "v2"), { spec: { both: "y" } });
        await stage.get(widgets(stage, "/a"));
        await removeDefinition(stage);
      },
    ),
    conforms("a scale subresource reads the default of an object that was stored before", async (stage) => {
      const replicas = { type: "integer" };
      const status = { type: "object", properties: { replicas } };
      const scale = {
        subresources: {
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
      };
      await defineWidgets(stage, { version: { ...version("v1", schemaOf({ replicas }, status)), ...scale } });
      await stage.prepare(widgets(stage), widget(stage, "a", { spec: {} }));
      await redefine(
        stage,
        [version("v1", schemaOf({ replicas: { ...replicas, default: 3 } }, status), scale)],
        (object) => field(object, "spec.replicas") === 3,
      );
      await stage.get(widgets(stage, "/a/scale"));
      await stage.patch(widgets(stage, "/a/scale"), { spec: { replicas: 5 } });
      await stage.get(widgets(stage, "/a"));
      await removeDefinition(stage);
    }),
  ],
};
