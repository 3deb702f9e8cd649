import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import { configMap } from "./manifests.ts";

/** [sentence, body]: posted as a ConfigMap in JSON. */
const bodies: readonly (readonly [sentence: string, body: string])[] = [
  ["nothing at all", ""],
  ["blanks", "   \n"],
  ["a word", "hello"],
  ["a number", "5"],
  ["a string", '"text"'],
  ["null", "null"],
  ["a list", "[]"],
  ["an empty object", "{}"],
  ["an object that is not closed", '{"kind":"ConfigMap"'],
  ["an object with a comma too many", '{"kind":"ConfigMap",}'],
  ["two objects", '{"metadata":{"name":"a"}}{"metadata":{"name":"b"}}'],
  ["text after the object", '{"metadata":{"name":"a"}} tail'],
  ["single quotes", "{'metadata':{'name':'a'}}"],
  ["a number that is too large", '{"metadata":{"name":"a","generation":1e400}}'],
  ["a control character in a string", '{"metadata":{"name":"a\u0001"}}'],
  ["an escape that is none", '{"metadata":{"name":"\\x"}}'],
  ["a lone surrogate", '{"metadata":{"name":"a"},"data":{"a":"\\ud800"}}'],
  ["metadata that is a list", '{"metadata":[]}'],
  ["metadata that is text", '{"metadata":"a"}'],
  ["a name that is a number", '{"metadata":{"name":5}}'],
  ["data that is a list", '{"metadata":{"name":"a"},"data":["b"]}'],
  ["a kind that is a number", '{"kind":5,"metadata":{"name":"a"}}'],
  ["a list of objects", '{"kind":"ConfigMapList","apiVersion":"v1","items":[]}'],
  ["an unknown kind", '{"kind":"Thing","apiVersion":"example.com/v1"}'],
  ["an unknown version", '{"kind":"ConfigMap","apiVersion":"v9"}'],
  ["a version that is none", '{"kind":"ConfigMap","apiVersion":"a/b/c"}'],
  ["very deep nesting", `${'{"a":'.repeat(12_000)}1${"}".repeat(12_000)}`],
  ["more than three megabytes", `{"metadata":{"name":"a"},"data":{"a":"${"x".repeat(3_200_000)}"}}`],
];

function bodyCase([sentence, body]: (typeof bodies)[number]): ConformanceCase {
  return conforms(`the body is ${sentence}`, async (stage) => {
    await stage.create(stage.path("configmaps"), body);
  });
}

const yaml = { headers: { "content-type": "application/yaml" } };

/** [sentence, path…]: read as they are. */
const paths: readonly (readonly [sentence: string, ...paths: string[]])[] = [
  ["goes up", "/api/v1/namespaces/../nodes", "/api/v1/../../etc/passwd", "/../x"],
  ["goes up in disguise", "/api/v1/namespaces/%2e%2e/secrets", "/api/v1/namespaces/..%2fsecrets/a"],
  ["has slashes too many", "//api/v1/nodes/never-made", "/api//v1/nodes/never-made"],
  ["has dots", "/api/v1/./nodes/never-made"],
  ["has bytes that are no text", "/api/v1/nodes/%ff%fe", "/api/v1/nodes/%00"],
  ["has a percent sign alone", "/api/v1/nodes/a%"],
  ["is very long", `/api/v1/nodes/${"x".repeat(3000)}`],
  ["has a name with a slash in disguise", "/api/v1/nodes/a%2Fb"],
  ["has too many parts", "/api/v1/namespaces/default/configmaps/a/b/c/d"],
];

const queries: readonly (readonly [sentence: string, ...queries: string[]])[] = [
  ["has keys without values", "limit", "watch&timeoutSeconds=1", "labelSelector"],
  ["has a key twice", "limit=1&limit=2", "labelSelector=a&labelSelector=b"],
  ["has percent signs alone", "labelSelector=%", "limit=%zz"],
  ["has semicolons", "limit=1;watch=true"],
  ["has booleans that are none", "watch=maybe&timeoutSeconds=1", "allowWatchBookmarks=maybe"],
  ["has numbers that are none", "limit=1.5", "limit=0x10", "timeoutSeconds=-1"],
  ["is very long", `labelSelector=a%20in%20(${"x,".repeat(4000)}x)`],
];

export const badInputCases: CaseGroup = {
  title: "bad input",
  cases: [
    ...bodies.map(bodyCase),
    ...paths.map(([sentence, ...list]) =>
      conforms(`a path ${sentence}`, async (stage) => {
        for (const path of list) await stage.get(path);
      }),
    ),
    ...queries.map(([sentence, ...list]) =>
      conforms(`a query ${sentence}`, async (stage) => {
        for (const query of list) await stage.get(stage.path(`secrets?${query}`));
      }),
    ),
    conforms("a body that is text is not taken", async (stage) => {
      for (const type of [
        "text/plain",
        "application/xml",
        "multipart/form-data",
        "nonsense",
        "application/json; charset=latin1",
      ]) {
        await stage.create(stage.path("configmaps?dryRun=All"), configMap("a"), {
          headers: { "content-type": type },
        });
      }
    }),
    conforms("a body in YAML is accepted if its content type is YAML", async (stage) => {
      await stage.create(stage.path("configmaps"), "metadata:\n  name: a\ndata:\n  b: c\n", yaml);
      await stage.create(stage.path("configmaps"), "metadata: {name: a\n", yaml);
      await stage.create(stage.path("configmaps"), "- a\n- b\n", yaml);
      await stage.create(stage.path("configmaps"), "just text", yaml);
      await stage.create(stage.path("configmaps"), "\tmetadata: x", yaml);
    }),
    conforms("of several documents of YAML the first is taken", async (stage) => {
      await stage.create(stage.path("configmaps"), "metadata: {name: a}\n---\nmetadata: {name: b}\n", yaml);
    }),
    conforms("YAML is not taken for JSON", async (stage) => {
      await stage.create(stage.path("configmaps"), "metadata:\n  name: a\n");
    }),
    conforms("a patch that is too large is refused", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("a"));
      await stage.patch(stage.path("configmaps/a"), { data: { a: "x".repeat(3_200_000) } });
    }),
    conforms("an update without a body is refused", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("a"));
      await stage.replace(stage.path("configmaps/a"), "");
      await stage.patch(stage.path("configmaps/a"), "");
      await stage.patch(stage.path("configmaps/a"), "{");
      await stage.strategicPatch(stage.path("configmaps/a"), "[]");
      await stage.apply(stage.path("configmaps/a?fieldManager=ann"), "{");
    }),
  ],
};
