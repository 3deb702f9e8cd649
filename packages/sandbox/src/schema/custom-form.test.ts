import { describe, expect, it } from "vitest";
import { decodeCustom } from "./decode-custom.ts";
import { applySchemaDefaults, dropNulls } from "./defaults.ts";
import type { FieldSchema } from "./field-schema.ts";
import { parseJson } from "./parse-json.ts";
import { pruneUnknownFields } from "./prune.ts";
import { recognizeJson } from "./type-meta.ts";

const objectMeta: FieldSchema = {
  type: "object",
  typeName: "v1.ObjectMeta",
  properties: {
    name: { type: "string" },
    labels: { type: "object", additionalProperties: { type: "string" } },
    creationTimestamp: { type: "string", format: "date-time", typeName: "v1.Time" },
  },
};

const open = { "x-kubernetes-preserve-unknown-fields": true } as const;
const embedded = { type: "object", "x-kubernetes-embedded-resource": true } as const;

const schema: FieldSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        list: { type: "array", items: { type: "object", properties: { x: { type: "integer" } } } },
        free: {
          type: "object",
          ...open,
          properties: { known: { type: "object", properties: { a: { type: "string" } } } },
        },
        emb: { ...embedded, ...open },
        emb2: { ...embedded, properties: { spec: { type: "object" } } },
        map: {
          type: "object",
          additionalProperties: { type: "object", properties: { a: { type: "string" } } },
        },
      },
    },
  },
};

describe("pruning", () => {
  it("takes out what the schema does not name, and tells it sorted", () => {
    const object = {
      apiVersion: "a/v1",
      kind: "Lab",
      metadata: { name: "a" },
      zz: 1,
      spec: {
        b: 1,
        list: [{ x: 1, y: 2 }],
        map: { k: { a: "1", b: "2" } },
        free: { q: [1], known: { a: "x", b: 1 } },
      },
    };
    expect(pruneUnknownFields(object, schema)).toEqual([
      "spec.b",
      "spec.free.known.b",
      "spec.list[0].y",
      "spec.map.k.b",
      "zz",
    ]);
    expect(object).toEqual({
      apiVersion: "a/v1",
      kind: "Lab",
      metadata: { name: "a" },
      spec: { list: [{ x: 1 }], map: { k: { a: "1" } }, free: { q: [1], known: { a: "x" } } },
    });
  });

  it("leaves the type and the metadata of embedded resources", () => {
    const resource = { apiVersion: "v1", kind: "Foo", metadata: { name: "a" }, q: 1 };
    const object = { spec: { emb: { ...resource }, emb2: { ...resource } } };
    expect(pruneUnknownFields(object, schema)).toEqual(["spec.emb2.q"]);
    expect(object.spec.emb).toEqual(resource);
  });
});

describe("decoding a custom resource", () => {
  const decoding = { schema, objectMeta, prunesUnknownFields: true };

  it("reports repeated fields, then unknown ones of metadata, of the object, of embedded metadata", () => {
    const text =
      '{"foo":1,"metadata":{"x":1,"labels":{"a":"1","a":"1"}},' +
      '"spec":{"zz":1,"zz":2,"emb":{"apiVersion":"v1","kind":"A","metadata":{"bar":1}},"a":1}}';
    expect(decodeCustom(parseJson(text), decoding).strictProblems).toEqual([
      'duplicate field "metadata.labels.a"',
      'duplicate field "spec.zz"',
      'unknown field "metadata.x"',
      'unknown field "foo"',
      'unknown field "spec.a"',
      'unknown field "spec.zz"',
      'unknown field "spec.emb.metadata.bar"',
    ]);
  });

  it("refuses metadata of another type", () => {
    const text = '{"spec":{"emb":{"apiVersion":"v1","kind":"","metadata":[]}}}';
    expect(() => decodeCustom(parseJson(text), decoding)).toThrow(
      "spec.emb.metadata: Invalid value: []: json: cannot unmarshal array into Go value of type v1.ObjectMeta",
    );
  });

  it("keeps everything where the definition says so", () => {
    const decoded = decodeCustom(parseJson('{"spec":{"a":1}}'), { ...decoding, prunesUnknownFields: false });
    expect(decoded).toEqual({ object: { spec: { a: 1 } }, strictProblems: [] });
  });
});

it("fills in defaults where nothing is, or a null that may not be, also below filled in objects", () => {
  const defaulted: FieldSchema = {
    type: "object",
    properties: {
      plain: { type: "string", default: "x" },
      nullable: { type: "string", nullable: true, default: "x" },
      nested: { type: "object", default: {}, properties: { a: { type: "string", default: "A" } } },
      absent: { type: "object", properties: { a: { type: "string", default: "A" } } },
      list: { type: "array", items: { type: "object", properties: { d: { type: "string", default: "D" } } } },
      map: { type: "object", additionalProperties: { type: "integer" } },
      gone: { type: "integer" },
    },
  };
  const object = {
    plain: null,
    nullable: null,
    nested: null,
    list: [{}, null],
    map: { a: null, b: 1 },
    gone: null,
  };
  dropNulls(object, defaulted);
  applySchemaDefaults(object, defaulted);
  expect(object).toEqual({
    plain: "x",
    nullable: null,
    nested: { a: "A" },
    list: [{ d: "D" }, null],
    map: { b: 1 },
  });
});

describe("a body that is no object", () => {
  const prefix = "the object provided is unrecognized (must be of type Deployment): ";
  it.each([
    ["", "couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)"],
    [
      "nul",
      "couldn't get version/kind; json parse error: invalid character ' ' in literal null (expecting 'l') (6e756c)",
    ],
    [
      "[]",
      "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { " +
        'APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)',
    ],
    [
      '{"kind":5}',
      "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type " +
        'string ({"kind":5})',
    ],
    [
      '{"kind":"Deployment","apiVersion":"a/b/c"}',
      'unexpected GroupVersion string: a/b/c ({"kind":"Deployment","apiVersi ...)',
    ],
  ])("%j is refused as the server does", (text, reason) => {
    expect(() => recognizeJson(new TextEncoder().encode(text), "Deployment")).toThrow(prefix + reason);
  });

  it("null is an object without a kind", () => {
    expect(recognizeJson(new TextEncoder().encode("null"), "Deployment")).toMatchObject({
      apiVersion: "",
      kind: "",
    });
  });
});
