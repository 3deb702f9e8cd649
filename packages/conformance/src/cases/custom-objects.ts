import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import { field, type Stage } from "../stage.ts";
import { type Custom, defineWidgets, removeDefinition, widget, widgets } from "./custom-kinds.ts";
import type { Fields } from "./manifests.ts";

/** A case on widgets: they are defined before, and their definition removed after. */
export function widgetCase(
  name: string,
  custom: Custom,
  run: (stage: Stage) => Promise<void>,
): ConformanceCase {
  return conforms(name, async (stage) => {
    await defineWidgets(stage, custom);
    await run(stage);
    await removeDefinition(stage);
  });
}

const string: Fields = { type: "string" };
const table = { headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } };
const subresources = {
  status: {},
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
};

export const customObjectCases: CaseGroup = {
  title: "custom objects",
  cases: [
    widgetCase("are created, read, listed and deleted", { spec: { color: string } }, async (stage) => {
      await stage.create(widgets(stage), widget(stage, "a", { spec: { color: "blue" } }));
      await stage.get(widgets(stage, "/a"));
      await stage.get(widgets(stage));
      await stage.delete(widgets(stage, "/a"));
      await stage.get(widgets(stage, "/a"));
    }),
    widgetCase("lose fields that are not in the schema", { spec: { color: string } }, async (stage) => {
      const object = widget(stage, "a", { spec: { color: "blue", size: 5 }, extra: true });
      await stage.create(widgets(stage, "?fieldValidation=Ignore"), object);
      await stage.create(widgets(stage, "?fieldValidation=Strict"), { ...object, metadata: { name: "b" } });
      await stage.create(widgets(stage, "?fieldValidation=Warn"), { ...object, metadata: { name: "c" } });
    }),
    widgetCase(
      "keep unknown fields where the schema preserves them",
      {
        spec: {
          free: {
            type: "object",
            "x-kubernetes-preserve-unknown-fields": true,
            properties: { known: { type: "object", properties: {} } },
          },
        },
      },
      async (stage) => {
        await stage.create(
          widgets(stage),
          widget(stage, "a", { spec: { free: { any: [1], known: { lost: 1 } }, lost: 2 } }),
        );
      },
    ),
    widgetCase(
      "get defaults when they are created and when they are read",
      {
        spec: {
          color: { ...string, default: "blue" },
          nested: { type: "object", default: {}, properties: { size: { type: "integer", default: 3 } } },
        },
      },
      async (stage) => {
        await stage.create(widgets(stage), widget(stage, "a", { spec: {} }));
        await stage.create(widgets(stage), widget(stage, "b", {}));
        await stage.create(widgets(stage), widget(stage, "c", { spec: { nested: { size: null } } }));
        await stage.create(widgets(stage), widget(stage, "d", { spec: { color: null } }));
      },
    ),
    widgetCase("count changes of everything without a status", { spec: { color: string } }, async (stage) => {
      await stage.create(widgets(stage), widget(stage, "a", { spec: { color: "blue" } }));
      await stage.patch(widgets(stage, "/a"), { metadata: { labels: { a: "b" } } });
      await stage.patch(widgets(stage, "/a"), { spec: { color: "red" } });
      await stage.patch(widgets(stage, "/a"), { status: { seen: true } });
      await stage.get(widgets(stage, "/a/status"));
    }),
    widgetCase(
      "have a status of their own",
      { spec: { color: string }, version: { subresources: { status: {} } } },
      async (stage) => {
        await stage.create(
          widgets(stage),
          widget(stage, "a", { spec: { color: "blue" }, status: { dropped: true } }),
        );
        await stage.patch(widgets(stage, "/a/status"), {
          spec: { color: "red" },
          status: { ready: true },
          metadata: { labels: { a: "b" } },
        });
        await stage.patch(widgets(stage, "/a"), { spec: { color: "red" }, status: { ready: false } });
        await stage.apply(
          widgets(stage, "/a/status?fieldManager=ann"),
          widget(stage, "a", { status: { phase: "Done" } }),
        );
        await stage.get(widgets(stage, "/a/status"));
      },
    ),
    widgetCase(
      "are scaled",
      { spec: { replicas: { type: "integer" } }, version: { subresources } },
      async (stage) => {
        await stage.create(widgets(stage), widget(stage, "a", { spec: { replicas: 2 } }));
        await stage.patch(widgets(stage, "/a/status"), { status: { replicas: 1, selector: "a=b" } });
        await stage.get(widgets(stage, "/a/scale"));
        await stage.patch(widgets(stage, "/a/scale"), { spec: { replicas: 5 } });
        await stage.patch(widgets(stage, "/a/scale"), { spec: { replicas: -5 } });
        await stage.get(widgets(stage, "/a"));
      },
    ),
    widgetCase(
      "without replicas have none to scale",
      { spec: { replicas: { type: "integer" } }, version: { subresources } },
      async (stage) => {
        await stage.create(widgets(stage), widget(stage, "a", { spec: {} }));
        await stage.get(widgets(stage, "/a/scale"));
        await stage.patch(widgets(stage, "/a/scale"), { spec: { replicas: 1 } });
      },
    ),
    widgetCase(
      "are shown with the columns of their definition",
      {
        spec: {
          color: string,
          size: { type: "integer" },
          since: { type: "string", format: "date-time" },
          list: { type: "array", items: string },
        },
        version: {
          additionalPrinterColumns: [
            { name: "Color", type: "string", jsonPath: ".spec.color", description: "Its color" },
            { name: "Size", type: "integer", jsonPath: ".spec.size", priority: 1 },
            { name: "Since", type: "date", jsonPath: ".spec.since" },
            { name: "First", type: "string", jsonPath: ".spec.list[0]" },
            { name: "All", type: "string", jsonPath: ".spec.list" },
            { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
          ],
        },
      },
      async (stage) => {
        await stage.create(
          widgets(stage),
          widget(stage, "a", { spec: { color: "blue", size: 3, list: ["x", "y"] } }),
        );
        await stage.create(widgets(stage), widget(stage, "b", { spec: {} }));
        await stage.get(widgets(stage), table);
      },
    ),
    widgetCase("are shown with their age if no columns are declared", {}, async (stage) => {
      await stage.create(widgets(stage), widget(stage, "a", { spec: {} }));
      await stage.get(widgets(stage), table);
      await stage.get(widgets(stage, "/a"), table);
    }),
    widgetCase(
      "are selected by fields of their definition",
      { spec: { color: string }, version: { selectableFields: [{ jsonPath: ".spec.color" }] } },
      async (stage) => {
        await stage.create(widgets(stage), widget(stage, "a", { spec: { color: "blue" } }));
        await stage.create(widgets(stage), widget(stage, "b", { spec: { color: "red" } }));
        await stage.get(widgets(stage, "?fieldSelector=spec.color%3Dblue"));
        await stage.get(widgets(stage, "?fieldSelector=metadata.name%3Db"));
        await stage.get(widgets(stage, "?fieldSelector=spec.size%3Db"));
      },
    ),
    widgetCase("are patched by JSON and merge patches only", { spec: { color: string } }, async (stage) => {
      await stage.create(widgets(stage), widget(stage, "a", { spec: { color: "blue" } }));
      await stage.jsonPatch(widgets(stage, "/a"), [{ op: "replace", path: "/spec/color", value: "red" }]);
      await stage.patch(widgets(stage, "/a"), { spec: { color: null } });
      await stage.strategicPatch(widgets(stage, "/a"), { spec: { color: "green" } });
    }),
    widgetCase("are not overwritten without a version", { spec: { color: string } }, async (stage) => {
      const stored = await stage.create(widgets(stage), widget(stage, "a", { spec: { color: "blue" } }));
      await stage.replace(widgets(stage, "/a"), widget(stage, "a", { spec: { color: "red" } }));
      const metadata = { resourceVersion: field(stored, "metadata.resourceVersion") };
      await stage.replace(widgets(stage, "/a"), widget(stage, "a", { metadata, spec: { color: "red" } }));
    }),
    widgetCase("are of the kind and version of their path", {}, async (stage) => {
      await stage.create(widgets(stage), { ...widget(stage, "a"), kind: "Gadget" });
      await stage.create(widgets(stage), { ...widget(stage, "a"), apiVersion: "other.example.com/v1" });
      await stage.create(widgets(stage), { metadata: { name: "a" } });
      await stage.get(widgets(stage, "", "v2"));
    }),
    widgetCase("are watched", { spec: { color: string } }, async (stage) => {
      const list = await stage.quietly({ method: "GET", path: widgets(stage) });
      await stage.create(widgets(stage), widget(stage, "a", { spec: { color: "blue" } }));
      await stage.patch(widgets(stage, "/a"), { spec: { color: "red" } });
      await stage.delete(widgets(stage, "/a"));
      await stage.watch(
        widgets(stage, `?watch=true&resourceVersion=${field(list, "metadata.resourceVersion")}`),
        3,
      );
    }),
    widgetCase(
      "are applied, with lists by their keys",
      {
        spec: {
          parts: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            items: {
              type: "object",
              required: ["name"],
              properties: { name: string, size: { type: "integer" } },
            },
          },
          tags: { type: "array", "x-kubernetes-list-type": "set", items: string },
          whole: { type: "array", "x-kubernetes-list-type": "atomic", items: string },
          atom: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: string, b: string } },
        },
      },
      async (stage) => {
        const as = (manager: string): string => widgets(stage, `/a?fieldManager=${manager}`);
        await stage.apply(
          as("ann"),
          widget(stage, "a", {
            spec: { parts: [{ name: "x", size: 1 }], tags: ["t"], whole: ["w"], atom: { a: "1" } },
          }),
        );
        await stage.apply(as("bob"), widget(stage, "a", { spec: { parts: [{ name: "y" }], tags: ["u"] } }));
        await stage.apply(
          as("eve"),
          widget(stage, "a", { spec: { parts: [{ name: "x", size: 2 }], whole: ["v"], atom: { b: "2" } } }),
        );
        await stage.apply(as("ann"), widget(stage, "a", { spec: { tags: ["t", "t"] } }));
        await stage.apply(as("ann"), widget(stage, "a", { spec: {} }));
      },
    ),
    widgetCase(
      "are applied, and their maps merged key by key",
      { spec: { labels: { type: "object", additionalProperties: string } } },
      async (stage) => {
        const as = (manager: string): string => widgets(stage, `/a?fieldManager=${manager}`);
        await stage.apply(as("ann"), widget(stage, "a", { spec: { labels: { a: "1" } } }));
        await stage.apply(as("bob"), widget(stage, "a", { spec: { labels: { b: "2" } } }));
        await stage.apply(as("bob"), widget(stage, "a", { spec: { labels: { a: "2" } } }));
        await stage.apply(as("bob"), widget(stage, "a", { spec: { unknown: 1 } }));
      },
    ),
    widgetCase("are listed by discovery", { version: { subresources } }, async (stage) => {
      const path = widgets(stage).split("/namespaces")[0] ?? "";
      await stage.until(path, (list) => field(list, "kind") === "APIResourceList");
      const list = await stage.quietly({ method: "GET", path });
      stage.record(
        "resources",
        JSON.parse(JSON.stringify(list, (key, value) => (key === "storageVersionHash" ? undefined : value))),
      );
    }),
    widgetCase(
      "take numbers of any size as they are",
      { spec: { whole: { type: "integer" }, real: { type: "number" } } },
      async (stage) => {
        await stage.create(
          widgets(stage),
          widget(stage, "a", { spec: { whole: 9_007_199_254_740_991, real: 0.1 } }),
        );
        await stage.create(widgets(stage), widget(stage, "b", { spec: { whole: 1.5 } }));
        await stage.create(widgets(stage), widget(stage, "c", { spec: { whole: 3, real: 3 } }));
      },
    ),
  ],
};
