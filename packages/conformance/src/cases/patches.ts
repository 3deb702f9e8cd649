import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import { configMap, container, pod, podTemplate, service } from "./manifests.ts";

const settings = configMap("settings", {
  metadata: { labels: { app: "web" } },
  data: { color: "blue", size: "xl" },
});

type JsonPatchRow = readonly [sentence: string, ...operations: unknown[]];

const jsonPatches: readonly JsonPatchRow[] = [
  ["adds a key", { op: "add", path: "/data/shape", value: "round" }],
  ["replaces a value", { op: "replace", path: "/data/color", value: "red" }],
  ["removes a key", { op: "remove", path: "/data/color" }],
  ["moves a value", { op: "move", from: "/data/color", path: "/data/colour" }],
  ["copies a value", { op: "copy", from: "/data/color", path: "/data/colour" }],
  ["goes on after a test that holds", { op: "test", path: "/data/color", value: "blue" }],
  ["is refused by a test that does not hold", { op: "test", path: "/data/color", value: "red" }],
  ["is refused by a test of what is not there", { op: "test", path: "/data/none", value: "red" }],
  ["does not remove what is not there", { op: "remove", path: "/data/none" }],
  ["replaces what is not there, in a map", { op: "replace", path: "/data/none", value: "x" }],
  ["does not add below what is not there", { op: "add", path: "/spec/a/b", value: "x" }],
  ["copies what is not there as nothing", { op: "copy", from: "/data/none", path: "/data/a" }],
  ["knows no other operations", { op: "twist", path: "/data" }],
  ["needs an operation", { path: "/data", value: {} }],
  ["needs a path", { op: "add", value: {} }],
  ["may not give a field another type", { op: "replace", path: "/data", value: 5 }],
  ["may not replace the object by a string", { op: "replace", path: "", value: "text" }],
  ["may not change the kind", { op: "replace", path: "/kind", value: "Secret" }],
  ["may not change the name", { op: "replace", path: "/metadata/name", value: "other" }],
  [
    "escapes slashes and tildes",
    { op: "add", path: "/metadata/annotations", value: {} },
    { op: "add", path: "/metadata/annotations/a.b~1c", value: "x" },
  ],
  [
    "adds at the end of a list",
    { op: "add", path: "/metadata/finalizers", value: ["a.b/c"] },
    { op: "add", path: "/metadata/finalizers/-", value: "a.b/d" },
  ],
  [
    "is refused beyond the end of a list",
    { op: "add", path: "/metadata/finalizers", value: [] },
    { op: "add", path: "/metadata/finalizers/3", value: "a.b/d" },
  ],
];

function jsonPatchCase([sentence, ...operations]: JsonPatchRow): ConformanceCase {
  return conforms(`a JSON patch ${sentence}`, async (stage) => {
    await stage.prepare(stage.path("configmaps"), settings);
    await stage.jsonPatch(stage.path("configmaps/settings"), operations);
  });
}

const mergePatches: readonly (readonly [sentence: string, patch: unknown])[] = [
  ["sets, changes and removes keys", { data: { color: null, size: "s", shape: "round" } }],
  ["removes a whole map", { data: null }],
  ["replaces a list as a whole", { metadata: { finalizers: ["a.b/c"] } }],
  ["is an object", [1, 2]],
  ["is not a string", '"text"'],
  ["is not null", "null"],
  ["may not give a field another type", { data: "text" }],
  ["may not give a value another type", { data: { color: { deep: 1 } } }],
  ["may not change the kind", { kind: "Secret" }],
  ["may not change the version of the API", { apiVersion: "v2" }],
  ["drops fields that the kind does not have", { extra: 1, data: { a: "b" } }],
  ["is refused if the result is not valid", { data: { "not a key": "x" } }],
];

/** [sentence, patch]: applied to a PodTemplate with two containers. */
const strategicPatches: readonly (readonly [sentence: string, patch: unknown])[] = [
  [
    "merges containers by their names",
    { template: { spec: { containers: [{ name: "main", image: "web:2" }] } } },
  ],
  ["adds a container that is new", { template: { spec: { containers: [{ name: "third", image: "c:1" }] } } }],
  ["removes a container", { template: { spec: { containers: [{ name: "side", $patch: "delete" }] } } }],
  [
    "replaces all containers",
    { template: { spec: { containers: [{ $patch: "replace" }, { name: "only", image: "d:1" }] } } },
  ],
  [
    "orders containers",
    { template: { spec: { "$setElementOrder/containers": [{ name: "side" }, { name: "main" }] } } },
  ],
  [
    "merges the environment by name",
    {
      template: {
        spec: {
          containers: [
            {
              name: "main",
              env: [
                { name: "A", value: "2" },
                { name: "B", value: "3" },
              ],
            },
          ],
        },
      },
    },
  ],
  [
    "removes a variable",
    { template: { spec: { containers: [{ name: "main", env: [{ name: "A", $patch: "delete" }] }] } } },
  ],
  [
    "merges ports by their number",
    { template: { spec: { containers: [{ name: "main", ports: [{ containerPort: 80, name: "http" }] }] } } },
  ],
  [
    "replaces a list without a merge key",
    { template: { spec: { containers: [{ name: "main", args: ["x"] }] } } },
  ],
  [
    "merges tolerations as a whole",
    { template: { spec: { tolerations: [{ key: "a", operator: "Exists" }] } } },
  ],
  ["replaces a map", { template: { metadata: { labels: { $patch: "replace", only: "this" } } } }],
  ["removes a field by null", { template: { metadata: { labels: null } } }],
  ["removes from a list of plain values", { metadata: { "$deleteFromPrimitiveList/finalizers": ["a.b/c"] } }],
  ["adds to a list of plain values", { metadata: { finalizers: ["a.b/d"] } }],
  ["keeps named keys only", { template: { spec: { $retainKeys: ["containers"], restartPolicy: "Never" } } }],
  ["needs the merge key", { template: { spec: { containers: [{ image: "x" }] } } }],
  ["knows no other directives", { template: { spec: { containers: [{ name: "main", $patch: "twist" }] } } }],
  ["is refused where a list must be", { template: { spec: { containers: { name: "main" } } } }],
];

const form = {
  ...podTemplate("form", {
    containers: [
      { ...container, args: ["a", "b"], env: [{ name: "A", value: "1" }], ports: [{ containerPort: 80 }] },
      { name: "side", image: "b:1" },
    ],
    tolerations: [{ key: "b", operator: "Exists" }],
  }),
  metadata: { name: "form", finalizers: ["a.b/c", "a.b/e"] },
};

export const patchCases: CaseGroup = {
  title: "patches",
  cases: [
    ...jsonPatches.map(jsonPatchCase),
    ...mergePatches.map(([sentence, patch]) =>
      conforms(`a merge patch ${sentence}`, async (stage) => {
        await stage.prepare(stage.path("configmaps"), settings);
        await stage.patch(stage.path("configmaps/settings"), patch);
      }),
    ),
    ...strategicPatches.map(([sentence, patch]) =>
      conforms(`a strategic merge patch ${sentence}`, async (stage) => {
        await stage.prepare(stage.path("podtemplates"), form);
        await stage.strategicPatch(stage.path("podtemplates/form"), patch);
      }),
    ),
    conforms("a JSON patch is a list", async (stage) => {
      await stage.prepare(stage.path("configmaps"), settings);
      await stage.jsonPatch(stage.path("configmaps/settings"), { op: "add", path: "/a", value: 1 });
      await stage.jsonPatch(stage.path("configmaps/settings"), "not json");
    }),
    conforms("a JSON patch with too many operations is refused", async (stage) => {
      await stage.prepare(stage.path("configmaps"), settings);
      const operations = Array.from({ length: 10_001 }, () => ({
        op: "test",
        path: "/kind",
        value: "ConfigMap",
      }));
      await stage.jsonPatch(stage.path("configmaps/settings"), operations);
    }),
    conforms("a strategic merge patch merges the ports of a Service", async (stage) => {
      await stage.prepare(stage.path("services"), service("web", { ports: [{ name: "http", port: 80 }] }));
      await stage.strategicPatch(stage.path("services/web"), {
        spec: { ports: [{ name: "https", port: 443 }] },
      });
    }),
    conforms("a strategic merge patch changes a pod's image", async (stage) => {
      await stage.prepare(stage.path("pods"), pod("idle"));
      await stage.strategicPatch(stage.path("pods/idle"), {
        spec: { containers: [{ name: "main", image: "web:2" }] },
      });
    }),
    conforms("the status of a pod merges conditions by their type", async (stage) => {
      await stage.prepare(stage.path("pods"), pod("idle"));
      const path = stage.path("pods/idle/status");
      const condition = (type: string, status: string) => ({
        status: { conditions: [{ type, status, lastTransitionTime: "2030-01-01T00:00:00Z" }] },
      });
      await stage.strategicPatch(path, condition("a.b/One", "True"));
      await stage.strategicPatch(path, condition("a.b/Two", "False"));
      await stage.strategicPatch(path, condition("a.b/One", "Unknown"));
    }),
    conforms("a patch of an unknown type is refused", async (stage) => {
      await stage.prepare(stage.path("configmaps"), settings);
      for (const type of ["application/json", "text/plain", "application/patch+json"]) {
        await stage.patch(stage.path("configmaps/settings"), {}, { headers: { "content-type": type } });
      }
    }),
  ],
};
