import fc from "fast-check";
import { expect, it } from "vitest";
import type { FieldSchema } from "../../schema/field-schema.ts";
import { schemaProblems } from "../../schema/validate.ts";
import { fitsSchema } from "./fits-schema.ts";

const name = fc.constantFrom("a", "b", "__proto__", "constructor");

const { schema } = fc.letrec<{ schema: FieldSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<FieldSchema>(
      {},
      { type: "string" },
      { type: "string", maxLength: 2 },
      { type: "integer", minimum: 1 },
      { type: "integer" },
      { type: "number" },
      { type: "boolean", nullable: true },
      { type: "string", enum: ["x"] },
      { "x-kubernetes-int-or-string": true },
      { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    ),
    fc.record(
      {
        type: fc.constant("object" as const),
        properties: fc.dictionary(name, tie("schema")),
        required: fc.array(name, { maxLength: 1 }),
        nullable: fc.boolean(),
      },
      { requiredKeys: ["type"] },
    ),
    fc.record({ type: fc.constant("object" as const), additionalProperties: tie("schema") }),
    fc.record({ type: fc.constant("array" as const), items: tie("schema") }),
  ),
}));

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(null, true, 0, 1, 1.5, "x", "long"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
}));

it("agrees with the search for problems", () => {
  fc.assert(
    fc.property(value, schema, (one, form) => {
      expect(fitsSchema(one, form)).toBe(schemaProblems(one, form, "").length === 0);
    }),
    { numRuns: 2000 },
  );
});
