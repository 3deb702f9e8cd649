import { draft, freeze } from "@keelson/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applySchemaDefaults, dropNulls, pruneUnknownFields } from "./custom-form.ts";
import type { FieldSchema } from "./field-schema.ts";
import { readForm } from "./read-form.ts";

const all = { prunes: true, defaults: true } as const;
const names = fc.constantFrom("a", "b", "c", "spec", "metadata");
const open = { "x-kubernetes-preserve-unknown-fields": true } as const;

const scalar: fc.Arbitrary<FieldSchema> = fc.record(
  {
    type: fc.constant("string" as const),
    nullable: fc.boolean(),
    default: fc.constantFrom("", "x"),
  },
  { requiredKeys: ["type"] },
);

const schemas = fc.letrec<{ readonly schema: FieldSchema; readonly object: FieldSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.constant({ ...open }),
    fc
      .tuple(tie("schema"), fc.boolean(), fc.constantFrom(undefined, [], [null]))
      .map(([items, isOpen, given]) => ({
        type: "array" as const,
        items,
        ...(isOpen && open),
        ...(given !== undefined && { default: given }),
      })),
    fc.tuple(tie("schema"), fc.boolean()).map(([additionalProperties, nullable]) => ({
      type: "object" as const,
      additionalProperties,
      nullable,
    })),
    tie("object"),
  ),
  object: fc
    .tuple(
      fc.dictionary(names, tie("schema"), { maxKeys: 4, noNullPrototype: true }),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
    )
    .map(([properties, isOpen, isResource, hasDefault]) => ({
      type: "object" as const,
      properties,
      ...(isOpen && open),
      ...(isResource && { "x-kubernetes-embedded-resource": true }),
      ...(hasDefault && { default: {} }),
    })),
}));

const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, "", "y", 0),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.dictionary(names, tie("value"), { maxKeys: 5, noNullPrototype: true }),
}));

const objects = values.object.map((fields) => ({ fields: { ...Object(fields) } }));

describe("the form in which an object is read", () => {
  it("is that of a decoder that prunes, drops nulls and sets defaults in place", () => {
    fc.assert(
      fc.property(schemas.object, objects, (schema, { fields }) => {
        const inPlace = draft(fields);
        pruneUnknownFields(inPlace, schema);
        dropNulls(inPlace, schema);
        applySchemaDefaults(inPlace, schema);
        expect(readForm(freeze(fields), schema, all)).toEqual(inPlace);
      }),
    );
  });

  it("is shared by what has it already", () => {
    fc.assert(
      fc.property(schemas.object, objects, (schema, { fields }) => {
        const form = readForm(fields, schema, all);
        expect(readForm(form, schema, all)).toBe(form);
      }),
    );
  });

  it("does not depend on the depth of what the schema leaves open", () => {
    let deep: unknown = [];
    for (let depth = 0; depth < 20_000; depth += 1) deep = depth % 2 === 0 ? [deep] : { deep };
    const schema: FieldSchema = { type: "object", properties: { free: { ...open }, gone: { ...open } } };
    const object = { free: deep };
    expect(readForm(object, schema, all)).toBe(object);
  });
});
