import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatProblem } from "../status/field-problem.ts";
import { applySchemaDefaults, dropNulls } from "./custom-form.ts";
import type { FieldSchema } from "./field-schema.ts";
import { schemaProblems } from "./validate.ts";

const spec: FieldSchema = {
  type: "object",
  description: "Spec text.",
  required: ["req"],
  properties: {
    req: { type: "string", description: "needed" },
    int: { type: "integer", minimum: 1, maximum: 10 },
    int32: { type: "integer", format: "int32" },
    int64: { type: "integer", format: "int64" },
    num: {
      type: "number",
      minimum: 1.5,
      exclusiveMinimum: true,
      maximum: 9.5,
      exclusiveMaximum: true,
      multipleOf: 0.5,
    },
    bool: { type: "boolean" },
    str: { type: "string", minLength: 2, maxLength: 4, pattern: "^[a-z]+$" },
    enum: { type: "string", enum: ["a", "b"] },
    enumi: { type: "integer", enum: [1, 2] },
    list: { type: "array", minItems: 1, maxItems: 2, items: { type: "string" } },
    set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    map: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k", "n"],
      items: {
        type: "object",
        required: ["k"],
        properties: { k: { type: "string" }, n: { type: "integer", default: 5 }, v: { type: "string" } },
      },
    },
    obj: { type: "object", minProperties: 1, maxProperties: 2, additionalProperties: { type: "integer" } },
    ios: { "x-kubernetes-int-or-string": true },
    ios2: {
      "x-kubernetes-int-or-string": true,
      anyOf: [{ type: "integer" }, { type: "string" }],
      pattern: "^[0-9]+%?$",
    },
    nul: { type: "string", nullable: true },
    nuld: { type: "string", nullable: true, default: "x" },
    def: { type: "string", default: "hello" },
    defo: {
      type: "object",
      default: {},
      properties: { a: { type: "string", default: "A" }, b: { type: "integer" } },
    },
    free: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { known: { type: "object", properties: { a: { type: "string" } } } },
    },
    emb: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
    emb2: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      properties: { spec: { type: "object" } },
    },
    one: {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    any: {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    all: { type: "string", allOf: [{ minLength: 3 }, { pattern: "^x" }] },
    nott: { type: "string", not: { enum: ["bad"] } },
    dt: { type: "string", format: "date-time" },
    date: { type: "string", format: "date" },
    email: { type: "string", format: "email" },
    ipv4: { type: "string", format: "ipv4" },
    ipv6: { type: "string", format: "ipv6" },
    uri: { type: "string", format: "uri" },
    uuid: { type: "string", format: "uuid" },
    byte: { type: "string", format: "byte" },
    cidr: { type: "string", format: "cidr" },
    duration: { type: "string", format: "duration" },
    hostname: { type: "string", format: "hostname" },
    mac: { type: "string", format: "mac" },
    unk: { type: "string", format: "nonsense" },
    nested: {
      type: "array",
      items: {
        type: "object",
        required: ["x"],
        properties: { x: { type: "integer" }, d: { type: "string", default: "dd" } },
      },
    },
  },
};
const schema: FieldSchema = { type: "object", required: ["spec"], properties: { spec } };

/** What the server says of an object with this spec, after defaults. */
function verdict(text: string): string {
  const object = {
    apiVersion: "example.com/v1",
    kind: "Lab",
    metadata: { name: "a" },
    spec: JSON.parse(text),
  };
  dropNulls(object, schema);
  applySchemaDefaults(object, schema);
  const texts = [...new Set(schemaProblems(object, schema, "").map(formatProblem))];
  if (texts.length === 0) return "valid";
  return texts.length === 1 ? `${texts[0]}` : `[${texts.join(", ")}]`;
}

describe("an object with the spec", () => {
  it.each([
    ["{}", "spec.req: Required value"],
    [
      '{"req":"x","int":0}',
      "spec.int: Invalid value: 0: spec.int in body should be greater than or equal to 1",
    ],
    [
      '{"req":"x","int":11}',
      "spec.int: Invalid value: 11: spec.int in body should be less than or equal to 10",
    ],
    [
      '{"req":"x","int":1.5}',
      '[spec.int: Invalid value: "number": spec.int in body must be of type integer: "number", <nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.int]',
    ],
    ['{"req":"x","int":5.0}', "valid"],
    [
      '{"req":"x","int32":3000000000}',
      '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.int32',
    ],
    [
      '{"req":"x","int64":9223372036854775808}',
      '[spec.int64: Invalid value: "float64": spec.int64 in body must be of type int64: "float64", <nil>: Invalid value: "": Checked value must be of type integer with format int64 in spec.int64]',
    ],
    ['{"req":"x","num":1.5}', "spec.num: Invalid value: 1.5: spec.num in body should be greater than 1.5"],
    ['{"req":"x","num":9.5}', "spec.num: Invalid value: 9.5: spec.num in body should be less than 9.5"],
    ['{"req":"x","num":2.2}', "spec.num: Invalid value: 2.2: spec.num in body should be a multiple of 0.5"],
    [
      '{"req":"x","bool":"true"}',
      'spec.bool: Invalid value: "string": spec.bool in body must be of type boolean: "string"',
    ],
    [
      '{"req":"x","str":"a"}',
      'spec.str: Invalid value: "a": spec.str in body should be at least 2 chars long',
    ],
    ['{"req":"x","str":"abcde"}', "spec.str: Too long: may not be more than 4 bytes"],
    ['{"req":"x","str":"AB"}', "spec.str: Invalid value: \"AB\": spec.str in body should match '^[a-z]+$'"],
    ['{"req":"x","str":"ABCDE"}', "spec.str: Too long: may not be more than 4 bytes"],
    ['{"req":"x","enum":"c"}', 'spec.enum: Unsupported value: "c": supported values: "a", "b"'],
    ['{"req":"x","enumi":3}', 'spec.enumi: Unsupported value: 3: supported values: "1", "2"'],
    [
      '{"req":"x","enum":5}',
      '[spec.enum: Invalid value: "integer": spec.enum in body must be of type string: "integer", spec.enum: Unsupported value: 5: supported values: "a", "b"]',
    ],
    ['{"req":"x","list":[]}', "spec.list: Invalid value: 0: spec.list in body should have at least 1 items"],
    ['{"req":"x","list":["a","b","c"]}', "spec.list: Too many: 3: must have at most 2 items"],
    [
      '{"req":"x","list":["a",1]}',
      'spec.list[1]: Invalid value: "integer": spec.list[1] in body must be of type string: "integer"',
    ],
    [
      '{"req":"x","list":"a"}',
      'spec.list: Invalid value: "string": spec.list in body must be of type array: "string"',
    ],
    [
      '{"req":"x","set":["a","a","b","b","a"]}',
      '[spec.set[1]: Duplicate value: "a", spec.set[3]: Duplicate value: "b"]',
    ],
    [
      '{"req":"x","map":[{"k":"a"},{"k":"a"},{"v":"q"}]}',
      '[spec.map[2].k: Required value, spec.map[1]: Duplicate value: {"k":"a","n":5}]',
    ],
    [
      '{"req":"x","obj":{}}',
      "spec.obj: Invalid value: 0: spec.obj in body should have at least 1 properties",
    ],
    ['{"req":"x","obj":{"a":1,"b":2,"c":3}}', "spec.obj: Too many: 3: must have at most 2 items"],
    [
      '{"req":"x","obj":{"a":"x"}}',
      'spec.obj.a: Invalid value: "string": spec.obj.a in body must be of type integer: "string"',
    ],
    [
      '{"req":"x","obj":[]}',
      'spec.obj: Invalid value: "array": spec.obj in body must be of type object: "array"',
    ],
    [
      '{"req":"x","ios":true}',
      'spec.ios: Invalid value: "boolean": spec.ios in body must be of type integer,string: "boolean"',
    ],
    [
      '{"req":"x","ios":1.5}',
      'spec.ios: Invalid value: "number": spec.ios in body must be of type integer,string: "number"',
    ],
    [
      '{"req":"x","ios2":"a"}',
      "spec.ios2: Invalid value: \"a\": spec.ios2 in body should match '^[0-9]+%?$'",
    ],
    [
      '{"req":"x","ios2":{}}',
      '[spec.ios2: Invalid value: "object": spec.ios2 in body must be of type integer,string: "object", <nil>: Invalid value: "": "spec.ios2" must validate at least one schema (anyOf), spec.ios2: Invalid value: "object": spec.ios2 in body must be of type integer: "object"]',
    ],
    ['{"req":"x","nul":null}', "valid"],
    ['{"req":"x","nuld":null}', "valid"],
    ['{"req":"x","def":null}', "valid"],
    ['{"req":null}', "spec.req: Required value"],
    ['{"req":"x","int":null}', "valid"],
    [
      '{"req":"x","list":[null]}',
      'spec.list[0]: Invalid value: "null": spec.list[0] in body must be of type string: "null"',
    ],
    [
      '{"req":"x","obj":{"a":null}}',
      "spec.obj: Invalid value: 0: spec.obj in body should have at least 1 properties",
    ],
    [
      '{"req":"x","one":{}}',
      '[<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found none valid, spec.one.a: Required value]',
    ],
    [
      '{"req":"x","one":{"a":"1","b":"2"}}',
      '<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
    [
      '{"req":"x","any":{}}',
      '[<nil>: Invalid value: "": "spec.any" must validate at least one schema (anyOf), spec.any.a: Required value]',
    ],
    [
      '{"req":"x","all":"a"}',
      '[spec.all: Invalid value: "a": spec.all in body should be at least 3 chars long, spec.all: Invalid value: "a": spec.all in body should match \'^x\', <nil>: Invalid value: "": "spec.all" must validate all the schemas (allOf). None validated]',
    ],
    [
      '{"req":"x","all":"xa"}',
      '[spec.all: Invalid value: "xa": spec.all in body should be at least 3 chars long, <nil>: Invalid value: "": "spec.all" must validate all the schemas (allOf)]',
    ],
    ['{"req":"x","nott":"bad"}', '<nil>: Invalid value: "": "spec.nott" must not validate the schema (not)'],
    ['{"req":"x","dt":"q"}', 'spec.dt: Invalid value: "q": spec.dt in body must be of type date-time: "q"'],
    ['{"req":"x","date":"q"}', 'spec.date: Invalid value: "q": spec.date in body must be of type date: "q"'],
    [
      '{"req":"x","email":"q"}',
      'spec.email: Invalid value: "q": spec.email in body must be of type email: "q"',
    ],
    ['{"req":"x","ipv4":"q"}', 'spec.ipv4: Invalid value: "q": spec.ipv4 in body must be of type ipv4: "q"'],
    ['{"req":"x","ipv6":"q"}', 'spec.ipv6: Invalid value: "q": spec.ipv6 in body must be of type ipv6: "q"'],
    ['{"req":"x","uri":"q"}', 'spec.uri: Invalid value: "q": spec.uri in body must be of type uri: "q"'],
    ['{"req":"x","uuid":"q"}', 'spec.uuid: Invalid value: "q": spec.uuid in body must be of type uuid: "q"'],
    ['{"req":"x","byte":"%"}', 'spec.byte: Invalid value: "%": spec.byte in body must be of type byte: "%"'],
    ['{"req":"x","cidr":"q"}', 'spec.cidr: Invalid value: "q": spec.cidr in body must be of type cidr: "q"'],
    [
      '{"req":"x","duration":"q"}',
      'spec.duration: Invalid value: "q": spec.duration in body must be of type duration: "q"',
    ],
    [
      '{"req":"x","hostname":"-_"}',
      'spec.hostname: Invalid value: "-_": spec.hostname in body must be of type hostname: "-_"',
    ],
    ['{"req":"x","mac":"q"}', 'spec.mac: Invalid value: "q": spec.mac in body must be of type mac: "q"'],
    ['{"req":"x","unk":"q"}', "valid"],
    [
      '{"req":"x","nested":[{"x":"a"},{},{"x":1}]}',
      '[spec.nested[0].x: Invalid value: "string": spec.nested[0].x in body must be of type integer: "string", spec.nested[1].x: Required value]',
    ],
    [
      '{"req":"x","nested":[null]}',
      'spec.nested[0]: Invalid value: "null": spec.nested[0] in body must be of type object: "null"',
    ],
    ['{"req":"x","emb":{}}', "[spec.emb.apiVersion: Required value, spec.emb.kind: Required value]"],
    ['{"req":"x","emb":{"apiVersion":"v1","kind":"Foo","metadata":{"name":"A b","foo":1}}}', "valid"],
    ['{"req":"x","emb2":{"apiVersion":"v1","kind":"Foo","metadata":{"name":"a","foo":1},"q":1}}', "valid"],
    ['{"req":"x","free":{"a":1,"known":{"a":"x","b":1}},"unknown":1}', "valid"],
    ['{"req":"x","defo":{}}', "valid"],
    ['{"req":"x","defo":null}', "valid"],
    [
      '{"req":"x","nested":[{"x":1}],"free":"s"}',
      'spec.free: Invalid value: "string": spec.free in body must be of type object: "string"',
    ],
    ["[]", 'spec: Invalid value: "array": spec in body must be of type object: "array"'],
    ['"s"', 'spec: Invalid value: "string": spec in body must be of type object: "string"'],
    ["null", "spec: Required value"],
    [
      '{"req":"x","int32":true}',
      'spec.int32: Invalid value: "": spec.int32 in body must be of type int32: ""',
    ],
    [
      '{"req":"x","dt":5}',
      'spec.dt: Invalid value: "int64": spec.dt in body must be of type date-time: "int64"',
    ],
    ['{"req":"x","dt":[]}', "valid"],
    [
      '{"req":"x","ipv6":"1::2::3"}',
      'spec.ipv6: Invalid value: "1::2::3": spec.ipv6 in body must be of type ipv6: "1::2::3"',
    ],
    [
      '{"req":"x","dt":"2020-01-01T25:00:00Z"}',
      'spec.dt: Invalid value: "2020-01-01T25:00:00Z": spec.dt in body must be of type date-time: "2020-01-01T25:00:00Z"',
    ],
    [
      '{"req":"x","dt":"2020-01-01 00:00:00Z"}',
      'spec.dt: Invalid value: "2020-01-01 00:00:00Z": spec.dt in body must be of type date-time: "2020-01-01 00:00:00Z"',
    ],
    [
      '{"req":"x","dt":"2020-01-01"}',
      'spec.dt: Invalid value: "2020-01-01": spec.dt in body must be of type date-time: "2020-01-01"',
    ],
    [
      '{"req":"x","num":true}',
      'spec.num: Invalid value: "boolean": spec.num in body must be of type number: "boolean"',
    ],
    [
      '{"req":"x","ios2":1.5}',
      '[spec.ios2: Invalid value: "number": spec.ios2 in body must be of type integer,string: "number", <nil>: Invalid value: "": "spec.ios2" must validate at least one schema (anyOf), spec.ios2: Invalid value: "number": spec.ios2 in body must be of type integer: "number", <nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.ios2]',
    ],
    [
      '{"req":"x","nul":5}',
      'spec.nul: Invalid value: "integer": spec.nul in body must be of type string: "integer"',
    ],
    [
      '{"req":"x","emb":{"apiVersion":"a/b/c","kind":"A b","metadata":{"name":"a"}}}',
      "[spec.emb.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c, spec.emb.kind: Invalid value: \"A b\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')]",
    ],
    [
      '{"req":"x","emb":{"apiVersion":"","kind":""}}',
      '[spec.emb.apiVersion: Invalid value: "": must not be empty, spec.emb.kind: Invalid value: "": must not be empty]',
    ],
    [
      '{"req":"x","emb":"x"}',
      'spec.emb: Invalid value: "string": spec.emb in body must be of type object: "string"',
    ],
    [
      '{"req":"x","one":{"a":5}}',
      'spec.one.a: Invalid value: "integer": spec.one.a in body must be of type string: "integer"',
    ],
    [
      '{"req":"x","str":"日本語"}',
      "spec.str: Invalid value: \"日本語\": spec.str in body should match '^[a-z]+$'",
    ],
    ['{"req":"x","byte":""}', 'spec.byte: Invalid value: "": spec.byte in body must be of type byte: ""'],
    ['{"req":"x","uuid":""}', 'spec.uuid: Invalid value: "": spec.uuid in body must be of type uuid: ""'],
    ['{"req":"x","dt":""}', 'spec.dt: Invalid value: "": spec.dt in body must be of type date-time: ""'],
  ])("%s: %s", (text, expected) => {
    expect(verdict(text)).toBe(expected);
  });
});

it("gives each problem the type of its cause", () => {
  expect(schemaProblems({ spec: { req: 1 } }, schema, "")).toEqual([
    {
      type: "FieldValueTypeInvalid",
      field: "spec.req",
      value: "integer",
      detail: 'spec.req in body must be of type string: "integer"',
    },
  ]);
});

it("does not judge again what an update leaves as it was", () => {
  const old = { spec: { req: "x", str: "BAD", map: [{ k: "a", v: 1 }], list: [1] } };
  const changed = {
    spec: {
      ...old.spec,
      bool: "no",
      map: [
        { k: "a", v: 1 },
        { k: "b", v: 1 },
      ],
    },
  };
  expect(schemaProblems(changed, schema, "", old).map(({ field }) => field)).toEqual([
    "spec.bool",
    "spec.map[1].v",
  ]);
});

it("judges every value without failing", () => {
  const names = Object.keys(spec.properties ?? {});
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string());
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), value), (given) => {
      verdict(JSON.stringify(given));
    }),
  );
});
