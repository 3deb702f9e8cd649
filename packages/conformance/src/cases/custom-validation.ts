import type { CaseGroup, ConformanceCase } from "../conformance-case.ts";
import { widget, widgets } from "./custom-kinds.ts";
import { widgetCase } from "./custom-objects.ts";
import type { Fields } from "./manifests.ts";

const string: Fields = { type: "string" };

/** [sentence, schema of `spec.value`, values that are tried]. */
const values: readonly (readonly [sentence: string, schema: Fields, ...values: unknown[]])[] = [
  ["types", { type: "integer" }, 1, "1", 1.5, true, null, [], {}],
  ["types of numbers", { type: "number" }, 1, 1.5, "1", {}],
  ["types of booleans", { type: "boolean" }, true, "true", 0],
  ["types of strings", string, "a", 1, [], {}],
  ["types of objects", { type: "object", properties: { a: string } }, {}, "a", [1], { a: 1 }],
  ["types of lists", { type: "array", items: string }, [], ["a"], "a", [1, "b"], {}],
  ["values that may be null", { type: "string", nullable: true }, null, "a"],
  ["integers or strings", { "x-kubernetes-int-or-string": true }, 1, "50%", true, 1.5],
  ["lengths of strings", { type: "string", minLength: 2, maxLength: 3 }, "a", "ab", "abcd", "äöü"],
  ["patterns", { type: "string", pattern: "^[a-z]+$" }, "abc", "ABC", ""],
  [
    "patterns in the syntax of Go",
    { type: "string", pattern: "^(?i:ab)\\pL[[:digit:]]\\z" },
    "aBé1",
    "abc",
    "abc1\n",
  ],
  [
    "patterns that make other engines backtrack",
    { type: "string", pattern: "^(a+)+$" },
    "a".repeat(40),
    `${"a".repeat(40)}b`,
  ],
  ["enumerations", { type: "string", enum: ["a", "b"] }, "a", "c"],
  ["enumerations of numbers", { type: "integer", enum: [1, 2] }, 1, 3],
  ["bounds of numbers", { type: "integer", minimum: 1, maximum: 5 }, 0, 1, 5, 6],
  [
    "bounds that are left out",
    { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true },
    1,
    1.1,
    5,
  ],
  ["multiples", { type: "integer", multipleOf: 5 }, 10, 12],
  [
    "lengths of lists",
    { type: "array", minItems: 1, maxItems: 2, items: string },
    [],
    ["a"],
    ["a", "b", "c"],
  ],
  [
    "lists as sets",
    { type: "array", "x-kubernetes-list-type": "set", items: string },
    ["a", "b"],
    ["a", "a"],
  ],
  [
    "lists as maps",
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: { type: "object", required: ["k"], properties: { k: string } },
    },
    [{ k: "a" }, { k: "b" }],
    [{ k: "a" }, { k: "a" }],
    [{}],
  ],
  [
    "required fields",
    { type: "object", required: ["a", "b"], properties: { a: string, b: string } },
    { a: "1" },
    {},
    { a: "1", b: "2" },
  ],
  [
    "numbers of properties",
    { type: "object", minProperties: 1, maxProperties: 2, additionalProperties: string },
    {},
    { a: "1" },
    { a: "1", b: "2", c: "3" },
  ],
  ["further properties", { type: "object", additionalProperties: { type: "integer" } }, { a: 1 }, { a: "x" }],
  ["times", { type: "string", format: "date-time" }, "2030-01-01T00:00:00Z", "yesterday"],
  ["dates and durations", { type: "string", format: "duration" }, "1h", "soon"],
  ["uuids", { type: "string", format: "uuid" }, "11111111-2222-3333-4444-555555555555", "no"],
  ["addresses", { type: "string", format: "ipv4" }, "192.0.2.1", "nowhere"],
  ["bytes", { type: "string", format: "byte" }, "AA==", "not base64!"],
  ["numbers of a size", { type: "integer", format: "int32" }, 5, 4_294_967_296],
  ["one of several", { type: "integer", oneOf: [{ minimum: 10 }, { multipleOf: 2 }] }, 12, 2, 1],
  ["any of several", { type: "integer", anyOf: [{ minimum: 10 }, { multipleOf: 2 }] }, 12, 2, 1],
  ["all of several", { type: "integer", allOf: [{ minimum: 10 }, { multipleOf: 2 }] }, 12, 11, 1],
  ["not something", { type: "integer", not: { multipleOf: 2 } }, 1, 2],
];

function valueCase([sentence, schema, ...tried]: (typeof values)[number]): ConformanceCase {
  return widgetCase(`check ${sentence}`, { spec: { value: schema } }, async (stage) => {
    for (const [index, value] of tried.entries()) {
      await stage.create(widgets(stage, "?dryRun=All"), widget(stage, `w${index}`, { spec: { value } }));
    }
  });
}

export const customValidationCases: CaseGroup = {
  title: "schemas of custom objects",
  cases: [
    ...values.map(valueCase),
    widgetCase(
      "check several fields and report all mistakes",
      { spec: { a: { type: "integer" }, b: { type: "integer", minimum: 3 } } },
      async (stage) => {
        await stage.create(widgets(stage), widget(stage, "a", { spec: { a: "x", b: 1 } }));
      },
    ),
    widgetCase(
      "check updates and patches",
      { spec: { a: { type: "integer", maximum: 3 } } },
      async (stage) => {
        await stage.create(widgets(stage), widget(stage, "a", { spec: { a: 1 } }));
        await stage.patch(widgets(stage, "/a"), { spec: { a: 9 } });
        await stage.patch(widgets(stage, "/a"), { spec: { a: "x" } });
        await stage.jsonPatch(widgets(stage, "/a"), [{ op: "replace", path: "/spec", value: 5 }]);
      },
    ),
    widgetCase("check metadata as of any object", {}, async (stage) => {
      await stage.create(widgets(stage), widget(stage, "NOT"));
      await stage.create(widgets(stage), widget(stage, "a", { metadata: { labels: { "a b": "c" } } }));
      await stage.create(widgets(stage), widget(stage, "a", { metadata: { labels: { a: 1 } } }));
      await stage.create(widgets(stage), widget(stage, "a", { metadata: { colour: "blue" } }));
    }),
  ],
};
