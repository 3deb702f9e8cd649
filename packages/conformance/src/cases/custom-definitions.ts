import { type CaseGroup, conforms } from "../conformance-case.ts";
import { field } from "../stage.ts";
import {
  createDefinition,
  defineWidgets,
  definitionOf,
  definitionPath,
  groupOf,
  removeDefinition,
  untilServed,
  widget,
  widgets,
} from "./custom-kinds.ts";
import { widgetCase } from "./custom-objects.ts";

const schema = (color: string) => ({
  openAPIV3Schema: {
    type: "object",
    properties: { spec: { type: "object", properties: { [color]: { type: "string" } } } },
  },
});
const twoVersions = {
  definition: {
    versions: [
      { name: "v1", served: true, storage: false, schema: schema("color") },
      { name: "v2", served: true, storage: true, schema: schema("color") },
    ],
  },
};
const isGone = (object: unknown): boolean => field(object, "code") === 404;

export const customDefinitionCases: CaseGroup = {
  title: "definitions",
  cases: [
    conforms("a definition is accepted and served", async (stage) => {
      await createDefinition(stage, definitionOf(stage));
      await untilServed(stage);
      await stage.until(definitionPath(stage), (object) => {
        const conditions = field(object, "status.conditions");
        return (
          Array.isArray(conditions) &&
          conditions.length === 2 &&
          field(object, "status.acceptedNames.kind") !== undefined
        );
      });
      await stage.get(definitionPath(stage));
      await removeDefinition(stage);
    }),
    conforms("names are made up where they are left out", async (stage) => {
      await createDefinition(
        stage,
        definitionOf(stage, { definition: { names: { plural: "widgets", kind: "Widget" } } }),
      );
      await removeDefinition(stage);
    }),
    conforms("a definition is warned of where it is not recommended", async (stage) => {
      const spec = { value: { type: "string", format: "made-up" } };
      await createDefinition(stage, definitionOf(stage, { spec }));
      await removeDefinition(stage);
    }),
    conforms("a group of the project needs to be approved", async (stage) => {
      const definition = definitionOf(stage, { definition: { group: "widgets.k8s.io" } });
      await createDefinition(stage, { ...definition, metadata: { name: "widgets.widgets.k8s.io" } });
    }),
    conforms("a definition goes with its objects", async (stage) => {
      await defineWidgets(stage);
      await stage.create(
        widgets(stage),
        widget(stage, "a", { metadata: { finalizers: ["example.com/hold"] } }),
      );
      await stage.delete(definitionPath(stage));
      await stage.until(
        widgets(stage, "/a"),
        (object) => field(object, "metadata.deletionTimestamp") !== undefined,
      );
      await stage.patch(widgets(stage, "/a"), { metadata: { finalizers: null } });
      await stage.until(definitionPath(stage), isGone);
      await stage.until(widgets(stage), (response) => field(response, "kind") !== "WidgetList");
      await stage.get(definitionPath(stage));
    }),
    conforms("a definition keeps its scope and its group", async (stage) => {
      await defineWidgets(stage);
      await stage.patch(definitionPath(stage), { spec: { scope: "Cluster" } });
      await stage.patch(definitionPath(stage), { spec: { group: "other.example.com" } });
      await stage.patch(definitionPath(stage), { spec: { names: { kind: "Gadget" } } });
      await removeDefinition(stage);
    }),
    conforms("objects of the cluster have no namespace", async (stage) => {
      await stage.prepare(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        definitionOf(stage, { definition: { scope: "Cluster" } }),
      );
      const path = `/apis/${groupOf(stage)}/v1/widgets`;
      await stage.until(path, (list) => field(list, "kind") === "WidgetList");
      await stage.create(path, widget(stage, "a"));
      await stage.get(`${path}/a`);
      await stage.get(widgets(stage));
      await stage.create(path, widget(stage, "b", { metadata: { namespace: "default" } }));
      await removeDefinition(stage);
    }),
    widgetCase("objects are read in each version", twoVersions, async (stage) => {
      await untilServed(stage, "v2");
      await stage.create(widgets(stage, "", "v1"), widget(stage, "a", { spec: { color: "blue" } }, "v1"));
      await stage.get(widgets(stage, "/a", "v2"));
      await stage.get(widgets(stage, "", "v2"));
      await stage.patch(widgets(stage, "/a", "v2"), { spec: { color: "red" } });
      await stage.get(widgets(stage, "/a", "v1"));
      await stage.create(widgets(stage, "", "v2"), widget(stage, "b", {}, "v1"));
    }),
    widgetCase("what was applied in one version is applied in another", twoVersions, async (stage) => {
      await untilServed(stage, "v2");
      await stage.apply(
        widgets(stage, "/a?fieldManager=ann", "v1"),
        widget(stage, "a", { spec: { color: "blue" } }, "v1"),
      );
      await stage.apply(
        widgets(stage, "/a?fieldManager=ann", "v2"),
        widget(stage, "a", { spec: { color: "red" } }, "v2"),
      );
      await stage.apply(
        widgets(stage, "/a?fieldManager=bob", "v1"),
        widget(stage, "a", { spec: { color: "green" } }, "v1"),
      );
    }),
    widgetCase(
      "a version that is deprecated warns",
      { version: { deprecated: true, deprecationWarning: "use something else" } },
      async (stage) => {
        await stage.create(widgets(stage), widget(stage, "a"));
        await stage.get(widgets(stage, "/a"));
      },
    ),
    widgetCase(
      "a version that is deprecated warns in words of its own",
      { version: { deprecated: true } },
      async (stage) => {
        await stage.get(widgets(stage));
      },
    ),
    widgetCase("a version that is no longer served is not found", twoVersions, async (stage) => {
      await untilServed(stage, "v2");
      await stage.jsonPatch(definitionPath(stage), [
        { op: "replace", path: "/spec/versions/0/served", value: false },
      ]);
      await stage.until(widgets(stage, "", "v1"), isNotServed);
      await stage.get(widgets(stage, "", "v2"));
    }),
    widgetCase(
      "a schema that is changed is in force for new objects",
      { spec: { color: { type: "string" } } },
      async (stage) => {
        await stage.create(widgets(stage), widget(stage, "a", { spec: { color: "blue" } }));
        const path = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/color/maxLength";
        await stage.quietly({
          method: "PATCH",
          path: definitionPath(stage),
          headers: { "content-type": "application/json-patch+json" },
          body: JSON.stringify([{ op: "add", path, value: 2 }]),
        });
        await stage.untilAnswer(
          {
            method: "POST",
            path: widgets(stage, "?dryRun=All"),
            body: JSON.stringify(widget(stage, "probe", { spec: { color: "blue" } })),
          },
          (response) => field(response, "code") === 422,
        );
        await stage.create(widgets(stage), widget(stage, "b", { spec: { color: "blue" } }));
        await stage.patch(widgets(stage, "/a"), { metadata: { labels: { a: "b" } } });
        await stage.patch(widgets(stage, "/a"), { spec: { color: "green" } });
      },
    ),
  ],
};

function isNotServed(response: unknown): boolean {
  return field(response, "kind") !== "WidgetList";
}
