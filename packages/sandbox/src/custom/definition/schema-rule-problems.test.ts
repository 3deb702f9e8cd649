import type { JSONSchemaProps } from "@keelson/core/kinds/apiextensions/v1";
import { expect, test } from "vitest";
import { schemaFormProblems } from "./schema-form-problems.ts";

const text: JSONSchemaProps = { type: "string", maxLength: 20 };

/** By what factors a rule is too expensive, in up to 2000 places. */
function excessOf(schema: JSONSchemaProps, rule: string, maxItems = 2000): readonly string[] {
  const value: JSONSchemaProps = { ...schema, "x-kubernetes-validations": [{ rule }] };
  const root: JSONSchemaProps = {
    type: "object",
    properties: {
      spec: { type: "array", maxItems, items: { type: "object", properties: { value } } },
    },
  };
  return schemaFormProblems(root, "schema", true).flatMap(({ detail = "" }) => {
    const [, factor] = /exceeds budget by factor of (.*) \(/.exec(detail) ?? [];
    return factor ?? [];
  });
}

// The factors are those that the real server reports: first of the rule, then of all rules together.
const asTheRealServer: readonly (readonly [
  rule: string,
  schema: JSONSchemaProps,
  factors: readonly string[],
])[] = [
  [
    "self.map(x, x.lowerAscii()).all(y, self.exists(z, z == y))",
    { type: "array", items: text, maxItems: 50 },
    ["5.8x"],
  ],
  [
    "self.filter(x, x.b > 3).all(x, self.exists_one(y, y.a == x.a && has(y.b)))",
    {
      type: "array",
      maxItems: 100,
      items: { type: "object", required: ["a"], properties: { a: text, b: { type: "integer" } } },
    },
    ["30.4x", "3.0x"],
  ],
  [
    "self.all(k, self.all(j, k != j || self[k] == self[j]))",
    { type: "object", additionalProperties: { type: "integer" }, maxProperties: 200 },
    ["88.2x", "8.8x"],
  ],
  [
    "self.split(',').map(x, x.trim()).all(x, x.find('[a-z]+') != '')",
    { type: "string", maxLength: 100 },
    ["11.1x", "1.113860x"],
  ],
  [
    "self.all(x, quantity(x).isGreaterThan(quantity('1')) && isIP(x) && x.matches('^a+$'))",
    { type: "array", items: text, maxItems: 200 },
    ["1.320400x"],
  ],
  [
    "self.all(i, v, v > i && v != -1) && self.map(x, x > 1, [x, {'a': x}.a]).size() > 2",
    { type: "array", items: { type: "integer" }, maxItems: 300 },
    ["3.8x"],
  ],
  [
    "self.all(x, self.all(y, x == y))",
    { type: "array", items: { type: "string" } },
    ["more than 100x", "more than 100x"],
  ],
];

test.each(asTheRealServer)("%s costs what the real server estimates", (rule, schema, factors) => {
  expect(excessOf(schema, rule)).toEqual(factors);
});

test("what is cheap enough in few places is too expensive in many", () => {
  const list: JSONSchemaProps = { type: "array", items: text, maxItems: 50 };
  const rule = "self.map(x, x.lowerAscii()).all(y, self.exists(z, z == y))";
  expect(excessOf(list, rule, 200)).toEqual([]);
});
