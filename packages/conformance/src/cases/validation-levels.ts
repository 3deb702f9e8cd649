import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import { configMap, container, pod, secret, service } from "./manifests.ts";

/** Each is sent with every level of field validation. */
const questionable: readonly (readonly [sentence: string, resource: string, body: unknown])[] = [
  ["a field that the kind does not have", "configmaps", { ...configMap("a"), extra: 1, data: {} }],
  [
    "fields that are unknown at several depths",
    "pods",
    {
      ...pod("a", {
        containers: [{ ...container, imag: "x", ports: [{ containerport: 80 }] }],
        flavour: "x",
      }),
    },
  ],
  [
    "a key that comes twice",
    "configmaps",
    '{"kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"1","a":"2"}}',
  ],
  [
    "a field whose case is wrong",
    "configmaps",
    { kind: "ConfigMap", metadata: { name: "a" }, Data: { a: "1" } },
  ],
  ["an unknown field of the metadata", "configmaps", configMap("a", { metadata: { colour: "blue" } })],
  ["an unknown and a wrong field", "services", service("a", { ports: "none", extra: 1 })],
];

const levels = ["Ignore", "Warn", "Strict"] as const;

function questionableCase(
  level: string,
  [sentence, resource, body]: (typeof questionable)[number],
): ConformanceCase {
  return conforms(`${sentence}, with the level ${level}`, async (stage) => {
    await stage.create(stage.path(`${resource}?fieldValidation=${level}&dryRun=All`), body);
  });
}

export const validationLevelCases: CaseGroup = {
  title: "field validation and dry runs",
  cases: [
    ...questionable.flatMap((row) => levels.map((level) => questionableCase(level, row))),
    conforms("the level of field validation is one of three", async (stage) => {
      await stage.create(stage.path("configmaps?fieldValidation=Maybe"), configMap("a"));
    }),
    conforms("without a level unknown fields are warned of", async (stage) => {
      await stage.create(stage.path("configmaps"), { ...configMap("a"), extra: 1 });
    }),
    conforms("YAML is validated too", async (stage) => {
      const headers = { "content-type": "application/yaml" };
      const text = "kind: ConfigMap\nmetadata: {name: a}\ndata: {a: x}\ndata: {b: z}\nextra: 1\n";
      await stage.create(stage.path("configmaps?fieldValidation=Strict"), text, { headers });
      await stage.create(stage.path("configmaps?fieldValidation=Warn"), text, { headers });
    }),
    conforms("the letter y is true in YAML", async (stage) => {
      const headers = { "content-type": "application/yaml" };
      await stage.create(stage.path("configmaps"), "metadata: {name: a}\ndata: {b: y}\n", { headers });
    }),
    conforms("updates and patches are validated as strictly", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("a"));
      const path = stage.path("configmaps/a?fieldValidation=Strict");
      await stage.replace(path, { ...configMap("a"), extra: 1 });
      await stage.patch(path, { extra: 1 });
      await stage.patch(path, '{"data":{"a":"1","a":"2"}}');
      await stage.jsonPatch(path, [{ op: "add", path: "/extra", value: 1 }]);
      await stage.strategicPatch(path, { extra: 1 });
    }),
    conforms("a patch warns of unknown fields", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("a"));
      await stage.patch(stage.path("configmaps/a?fieldValidation=Warn"), { extra: 1, data: { a: "1" } });
    }),
    conforms("a dry run creates nothing", async (stage) => {
      await stage.create(stage.path("configmaps?dryRun=All"), configMap("a"));
      await stage.get(stage.path("configmaps/a"));
    }),
    conforms("a dry run of a creation sees what exists", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("a"));
      await stage.create(stage.path("configmaps?dryRun=All"), configMap("a"));
    }),
    conforms("a dry run changes nothing", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("a"));
      await stage.replace(stage.path("configmaps/a?dryRun=All"), configMap("a", { data: { b: "c" } }));
      await stage.patch(stage.path("configmaps/a?dryRun=All"), { data: { b: "c" } });
      await stage.get(stage.path("configmaps/a"));
    }),
    conforms("a dry run deletes nothing", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("a"));
      await stage.prepare(stage.path("secrets"), secret("b"));
      await stage.delete(stage.path("configmaps/a?dryRun=All"));
      await stage.delete(stage.path("configmaps/a"), { dryRun: ["All"] });
      await stage.delete(stage.path("secrets?dryRun=All"));
      await stage.get(stage.path("configmaps/a"));
    }),
    conforms("a dry run validates", async (stage) => {
      await stage.create(stage.path("configmaps?dryRun=All"), configMap("NOT"));
    }),
    conforms("there are no dry runs but of all", async (stage) => {
      await stage.create(stage.path("configmaps?dryRun=Some"), configMap("a"));
      await stage.delete(stage.path("configmaps/a"), { dryRun: ["Some"] });
      await stage.patch(stage.path("configmaps/a?dryRun=true"), {});
    }),
    conforms("a dry run of a Service takes no address", async (stage) => {
      await stage.create(stage.path("services?dryRun=All"), service("web"));
    }),
  ],
};
