import { describe, expect, it } from "vitest";
import { applySchemaDefaults, dropNulls, pruneUnknownFields } from "./custom-form.ts";
import type { FieldSchema } from "./field-schema.ts";

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
  it("removes the fields that the schema does not name, and returns them sorted", () => {
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
