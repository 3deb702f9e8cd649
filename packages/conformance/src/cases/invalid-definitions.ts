import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import { type Custom, createDefinition, definitionOf } from "./custom-kinds.ts";
import type { Fields } from "./manifests.ts";

const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };
const version: Fields = {
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: "object" } },
};
const spec = (value: Fields): Custom => ({ spec: { value } });
const rule = (text: string, more: Fields = {}): Custom =>
  spec({ type: "integer", "x-kubernetes-validations": [{ rule: text, ...more }] });

const invalid: Readonly<Record<string, Custom>> = {
  "a schema is present": { version: { schema: undefined } },
  "a schema is structural: every field has a type": spec({ properties: { a: {} } }),
  "the top of a schema is an object": { schema: { type: "string" } },
  "a type is one of the known": spec({ type: "text" }),
  "a list has items": spec({ type: "array" }),
  "a list of several schemas is refused": spec({ type: "array", items: [{ type: "string" }] }),
  "properties and further properties exclude each other": spec({
    type: "object",
    properties: { a: { type: "string" } },
    additionalProperties: { type: "string" },
  }),
  "further properties are not just forbidden": spec({ type: "object", additionalProperties: false }),
  "unique items are not for schemas": spec({ type: "array", items: { type: "string" }, uniqueItems: true }),
  "references are not for schemas": spec({ $ref: "#/definitions/x" }),
  "a default has the type of its field": spec({ type: "integer", default: "x" }),
  "a default keeps the rules of its field": spec({ type: "integer", maximum: 3, default: 9 }),
  "a pattern is a regular expression": spec({ type: "string", pattern: "(" }),
  "a pattern has no look-ahead": spec({ type: "string", pattern: "^(?=a)" }),
  "a pattern has no references to its groups": spec({ type: "string", pattern: "(a)\\1" }),
  "a pattern does not end in a backslash": spec({ type: "string", pattern: "a\\" }),
  "a pattern repeats at most a thousand times": spec({ type: "string", pattern: "(a{100}){11}" }),
  "a list of keys has keys": spec({
    type: "array",
    "x-kubernetes-list-type": "map",
    items: { type: "object", properties: {} },
  }),
  "a key of a list is required or has a default": spec({
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    items: { type: "object", properties: { k: { type: "string" } } },
  }),
  "a list's type is one of three": spec({
    type: "array",
    "x-kubernetes-list-type": "heap",
    items: { type: "string" },
  }),
  "a set has elements that are compared as a whole": spec({
    type: "array",
    "x-kubernetes-list-type": "set",
    items: { type: "object", properties: { a: { type: "string" } } },
  }),
  "types below a choice are refused": spec({
    type: "object",
    anyOf: [{ properties: { a: { type: "string" } } }],
  }),
  "metadata is restricted by its name only": {
    schema: {
      type: "object",
      properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
    },
  },
  "a rule is an expression": rule("self >"),
  "a rule gives true or false": rule("self + 1"),
  "a rule uses fields that exist": rule("self.nothing == 1"),
  "a rule compares what can be compared": rule("self == 'x'"),
  "a rule is not empty": rule(""),
  "a rule's message has one line": rule("self > 1", { message: "a\nb" }),
  "a rule's message is text": rule("self > 1", { messageExpression: "self" }),
  "a rule's reason is one of four": rule("self > 1", { reason: "Because" }),
  "a rule's field exists": rule("self > 1", { fieldPath: ".none" }),
  "a rule does not cost too much": spec({
    type: "array",
    items: { type: "array", items: { type: "string" } },
    "x-kubernetes-validations": [{ rule: "self.all(x, x.all(y, self.all(z, z.all(w, w == y))))" }],
  }),
  "a past may be missing only where it is used": rule("self > 1", { optionalOldSelf: true }),
  "the name is made of plural and group": {
    definition: { names: { ...names, plural: "gadgets", singular: "gadget" } },
  },
  "the group is a DNS name": { definition: { group: "nodots" } },
  "the scope is one of two": { definition: { scope: "Galaxy" } },
  "the kind is present": { definition: { names: { plural: "widgets" } } },
  "the kind has a name": { definition: { names: { ...names, kind: "My_Widget" } } },
  "one version is stored": { definition: { versions: [{ ...version, storage: false }] } },
  "only one version is stored": { definition: { versions: [version, { ...version, name: "v2" }] } },
  "versions have different names": { definition: { versions: [version, { ...version, storage: false }] } },
  "versions have names": { version: { name: "V_1" } },
  "a version is present": { definition: { versions: [] } },
  "a column has a path": {
    version: { additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: "spec" }] },
  },
  "a column has a type": {
    version: { additionalPrinterColumns: [{ name: "A", type: "colour", jsonPath: ".spec" }] },
  },
  "a scale has paths": {
    version: { subresources: { scale: { specReplicasPath: "spec", statusReplicasPath: ".spec.x" } } },
  },
  "a selectable field exists": { version: { selectableFields: [{ jsonPath: ".spec.none" }] } },
  "a conversion by webhook has a webhook": { definition: { conversion: { strategy: "Webhook" } } },
  "a conversion is one of two": { definition: { conversion: { strategy: "Magic" } } },
  "unknown fields are kept by the schema only": { definition: { preserveUnknownFields: true } },
};

function invalidCase([sentence, custom]: readonly [string, Custom]): ConformanceCase {
  return conforms(sentence, async (stage) => {
    await createDefinition(stage, definitionOf(stage, custom));
  });
}

export const invalidDefinitionCases: CaseGroup = {
  title: "definitions that are refused",
  cases: Object.entries(invalid).map(invalidCase),
};
