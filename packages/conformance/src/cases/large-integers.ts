import { type CaseGroup, conforms } from "../conformance-case.ts";
import type { Stage } from "../stage.ts";
import { widget, widgets } from "./custom-kinds.ts";
import { widgetCase } from "./custom-objects.ts";
import type { Fields } from "./manifests.ts";

/** A number of 64 bits in floating point cannot hold them. */
const large = 9007199254740993n;
const larger = 9007199254740995n;
const [least, most] = [-9223372036854775808n, 9223372036854775807n];

const integer: Fields = { type: "integer" };
const spec: Fields = {
  size: integer,
  long: { type: "integer", format: "int64" },
  short: { type: "integer", format: "int32" },
  real: { type: "number" },
  either: { "x-kubernetes-int-or-string": true },
  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};
const full: Fields = {
  size: large,
  long: most,
  either: least,
  free: { list: [large, { deep: larger }], text: "9007199254740993", small: 5 },
};

const columns = [
  { name: "Size", type: "integer", jsonPath: ".spec.size" },
  { name: "Real", type: "number", jsonPath: ".spec.size" },
  { name: "Text", type: "string", jsonPath: ".spec.free" },
];
const table = { headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } };

const job = (fields: Fields = {}): Fields => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "web" },
  spec: {
    suspend: true,
    // So that no controller changes it meanwhile.
    managedBy: "example.com/none",
    activeDeadlineSeconds: large,
    template: {
      spec: {
        restartPolicy: "Never",
        terminationGracePeriodSeconds: larger,
        containers: [{ name: "main", image: "web" }],
      },
    },
    ...fields,
  },
});

/** The text of one number in a body that is otherwise JSON. */
async function createText(stage: Stage, name: string, size: string): Promise<void> {
  const text = JSON.stringify(widget(stage, name, { spec: { size: "SIZE" } })).replace('"SIZE"', size);
  await stage.create(widgets(stage), text);
}

/** Integers that JavaScript would round. */
export const largeIntegerCases: CaseGroup = {
  title: "large integers",
  cases: [
    widgetCase("of custom objects come back as they were sent", { spec }, async (stage) => {
      const stored = await stage.create(widgets(stage), widget(stage, "a", { spec: full }));
      await stage.get(widgets(stage, "/a"));
      await stage.get(widgets(stage));
      await stage.replace(widgets(stage, "/a"), stored);
      await stage.watch(
        widgets(stage, "?sendInitialEvents=true&watch=true&resourceVersionMatch=NotOlderThan"),
        1,
      );
    }),
    widgetCase("of custom objects are patched in every way", { spec }, async (stage) => {
      await stage.create(widgets(stage), widget(stage, "a", { spec: full }));
      const path = widgets(stage, "/a");
      await stage.patch(path, { spec: { size: larger, free: { added: most } } });
      await stage.patch(path, { spec: { size: larger } });
      await stage.jsonPatch(path, [
        { op: "test", path: "/spec/size", value: larger },
        { op: "copy", from: "/spec/size", path: "/spec/free/copied" },
        { op: "replace", path: "/spec/size", value: large },
      ]);
      await stage.jsonPatch(path, [{ op: "test", path: "/spec/size", value: larger }]);
      await stage.get(path);
    }),
    widgetCase("of custom objects are applied", { spec }, async (stage) => {
      const path = (manager: string): string => widgets(stage, `/a?fieldManager=${manager}`);
      await stage.apply(path("ann"), widget(stage, "a", { spec: full }));
      await stage.apply(path("ann"), widget(stage, "a", { spec: full }));
      const other = { size: larger, free: { list: [large], more: most } };
      await stage.apply(path("bob"), widget(stage, "a", { spec: other }));
      await stage.apply(path("bob"), widget(stage, "a", { spec: { ...other, size: large } }));
      await stage.apply(path("ann"), widget(stage, "a", { spec: { long: larger } }));
    }),
    widgetCase("of custom objects are sent as YAML", { spec }, async (stage) => {
      const yaml = [
        `apiVersion: ${widget(stage, "a").apiVersion}`,
        "kind: Widget",
        "metadata: {name: a}",
        "spec: {size: 9007199254740993, free: {a: [-9007199254740993, 7, 1.5]}}",
      ].join("\n");
      await stage.create(widgets(stage), yaml, { headers: { "content-type": "application/yaml" } });
      await stage.get(widgets(stage, "/a"));
    }),
    widgetCase(
      "of custom objects are printed in tables",
      { spec, version: { additionalPrinterColumns: columns } },
      async (stage) => {
        await stage.create(
          widgets(stage),
          widget(stage, "a", { spec: { size: large, free: { a: larger } } }),
        );
        await stage.get(widgets(stage), table);
      },
    ),
    widgetCase("of custom objects have the limits of their types", { spec }, async (stage) => {
      for (const field of ["short", "real", "either"])
        await stage.create(widgets(stage), widget(stage, field, { spec: { [field]: large } }));
      const sizes = ["9223372036854775807", "9223372036854775808", "-9223372036854775809"];
      for (const [index, size] of sizes.entries()) await createText(stage, `size-${index}`, size);
    }),
    widgetCase(
      "of custom objects are validated as what they are",
      {
        spec: {
          size: { type: "integer", maximum: 9007199254740992, multipleOf: 2 },
          one: { type: "integer", enum: [large] },
          rule: { type: "integer", "x-kubernetes-validations": [{ rule: "self == 9007199254740993" }] },
        },
      },
      async (stage) => {
        for (const [index, fields] of [
          { size: large },
          { one: large },
          { one: larger },
          { rule: large },
          { rule: larger },
          { rule: 9007199254740992 },
        ].entries())
          await stage.create(widgets(stage), widget(stage, `a-${index}`, { spec: fields }));
      },
    ),
    widgetCase(
      "are defaults of custom objects",
      {
        spec: {
          size: { type: "integer", default: large },
          free: { ...Object(spec.free), default: { a: large } },
        },
      },
      async (stage) => {
        await stage.create(widgets(stage), widget(stage, "a", { spec: {} }));
      },
    ),
    conforms("of built-in kinds come back as they were sent", async (stage) => {
      const path = stage.path("batch/v1:jobs");
      await stage.create(path, job());
      await stage.patch(`${path}/web`, { spec: { activeDeadlineSeconds: larger } });
      await stage.strategicPatch(`${path}/web`, { spec: { activeDeadlineSeconds: most } });
      await stage.jsonPatch(`${path}/web`, [
        { op: "test", path: "/spec/activeDeadlineSeconds", value: most },
        { op: "replace", path: "/spec/activeDeadlineSeconds", value: large },
      ]);
      await stage.apply(`${path}/web?fieldManager=ann&force=true`, {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "web" },
        spec: { activeDeadlineSeconds: larger },
      });
      await stage.create(path, job({ activeDeadlineSeconds: least, parallelism: large }));
      await stage.create(path, { ...job({ activeDeadlineSeconds: least }), metadata: { name: "less" } });
    }),
    conforms("that are too large for built-in kinds are refused", async (stage) => {
      for (const seconds of ["9223372036854775808", "-9223372036854775809", "1.5"]) {
        const text = JSON.stringify(job({ activeDeadlineSeconds: "SECONDS", template: {} }));
        await stage.create(stage.path("batch/v1:jobs"), text.replace('"SECONDS"', seconds));
      }
    }),
    conforms("are revisions, and data of revisions", async (stage) => {
      const path = stage.path("apps/v1:controllerrevisions");
      const revision = { apiVersion: "apps/v1", kind: "ControllerRevision", metadata: { name: "web" } };
      const stored = await stage.create(path, { ...revision, revision: large, data: { a: [larger] } });
      await stage.replace(`${path}/web`, stored);
      await stage.patch(`${path}/web`, { revision: most });
      await stage.get(`${path}/web`);
    }),
  ],
};
