import { describe, expect, it } from "vitest";
import { z } from "zod";
import { rule } from "../blocks/rule.ts";
import type { SchemaProblem } from "../errors.ts";
import { SchemaPosition } from "./schema-position.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { structuralSchemaOf } from "./structural-schema-of.ts";

function made(schema: z.core.$ZodType): StructuralSchema | readonly string[] {
  const problems: SchemaProblem[] = [];
  const node = structuralSchemaOf(schema, SchemaPosition.root(problems).field("spec"));
  return problems.length === 0 ? node : problems.map(({ path, problem }) => `${path}: ${problem}`);
}

describe("a union of scalars", () => {
  it.each<[string, z.core.$ZodType, StructuralSchema]>([
    ["literals", z.union([z.literal("a"), z.enum(["b", "a"])]), { type: "string", enum: ["a", "b"] }],
    ["equal options", z.union([z.string(), z.string()]), { type: "string" }],
    ["null", z.union([z.string(), z.null()]), { type: "string", nullable: true }],
    [
      "unions",
      z.union([z.union([z.string().max(0), z.null()]), z.string().min(3)]),
      { type: "string", anyOf: [{ maxLength: 0 }, { minLength: 3 }], nullable: true },
    ],
    [
      "limits of one type",
      z.union([z.string().regex(/^a$/), z.string().max(0)]),
      { type: "string", anyOf: [{ pattern: "^a$" }, { maxLength: 0 }] },
    ],
    ["limits and none", z.union([z.string(), z.string().min(3)]), { type: "string" }],
    [
      "limits of which one holds",
      z.xor([z.number().min(5), z.number().max(1)]),
      { type: "number", oneOf: [{ minimum: 5 }, { maximum: 1 }] },
    ],
    [
      "an integer and a string, each with its limits",
      z.union([z.int().min(1).max(65535), z.string().regex(/^[a-z]+$/)]),
      { "x-kubernetes-int-or-string": true, minimum: 1, maximum: 65535, pattern: "^[a-z]+$" },
    ],
    [
      "a format that all options share",
      z.union([z.int32().min(5), z.int32().max(1)]),
      { type: "integer", format: "int32", anyOf: [{ minimum: 5 }, { maximum: 1 }] },
    ],
    [
      "a format of one option as its range, which the server holds to inside of anyOf too",
      z.union([z.int32(), z.int().min(2 ** 40)]),
      {
        type: "integer",
        anyOf: [{ minimum: -2147483648, maximum: 2147483647 }, { minimum: 2 ** 40 }],
      },
    ],
    ["all numbers and some", z.union([z.int(), z.int32()]), { type: "integer" }],
    [
      "the range of a format that int-or-string has no place for",
      z.union([z.int32().min(1), z.string()]),
      { "x-kubernetes-int-or-string": true, minimum: 1, maximum: 2147483647 },
    ],
  ])("expresses %s", (_, schema, node) => {
    expect(made(schema)).toEqual(node);
  });
});

describe("a union of objects", () => {
  const http = z.object({ type: z.literal("http"), path: z.string(), port: z.int32().max(100) });
  const tcp = z.object({ type: z.literal("tcp"), backlog: z.int32().optional(), port: z.int32().max(200) });

  it("has the fields of all options, and in oneOf what each asks of them", () => {
    expect(made(z.discriminatedUnion("type", [http, tcp]))).toEqual({
      type: "object",
      properties: {
        type: { type: "string", enum: ["http", "tcp"] },
        path: { type: "string" },
        backlog: { type: "integer", format: "int32" },
        port: { type: "integer", format: "int32" },
      },
      required: ["port", "type"],
      oneOf: [
        {
          properties: { type: { enum: ["http"] }, port: { maximum: 100 } },
          required: ["path"],
        },
        { properties: { type: { enum: ["tcp"] }, port: { maximum: 200 } } },
      ],
    });
  });

  it("uses anyOf where several options may hold", () => {
    const schema = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);
    expect(made(schema)).toMatchObject({ anyOf: [{ required: ["a"] }, { required: ["b"] }] });
  });

  it("leaves out an anyOf that everything fits", () => {
    const schema = z.union([z.object({ a: z.string() }), z.object({ b: z.string().optional() })]);
    expect(made(schema)).not.toHaveProperty("anyOf");
  });

  it("takes a default that all options share", () => {
    const port = z.int32().default(80);
    const schema = z.union([z.object({ a: z.string(), port }), z.object({ b: z.string(), port })]);
    expect(made(schema)).toMatchObject({ properties: { port: { default: 80 } } });
  });
});

it.each<[string, z.core.$ZodType, string]>([
  ["different types", z.union([z.string(), z.object({})]), "spec: is a union of string and object"],
  ["number and string", z.union([z.number(), z.string()]), "spec: is a union of number and string"],
  ["different lists", z.union([z.array(z.string()), z.array(z.int())]), "spec: is a union of array"],
  [
    "a map among objects",
    z.union([z.object({ a: z.int() }), z.record(z.string(), z.int())]),
    "spec: is a union of object",
  ],
  ["null beside literals", z.union([z.literal("a"), z.null()]), "spec: allows null beside an enum"],
  [
    "fields of different types",
    z.union([z.object({ a: z.string() }), z.object({ a: z.int() })]),
    "spec.a: differs between the options",
  ],
  [
    "a default in one option",
    z.union([z.object({ a: z.string() }), z.object({ b: z.int().default(1) })]),
    "spec.b: has a default in some options",
  ],
  [
    "an option that may be left out",
    z.union([z.string().optional(), z.null()]),
    "spec: has an option that may be left out",
  ],
  [
    "a rule in one option",
    z.union([rule(z.string(), { rule: "self != ''" }), z.string().max(3)]),
    "spec: has an option with a rule",
  ],
])("reports %s", (_, schema, complaint) => {
  expect(made(schema)).toContainEqual(expect.stringContaining(complaint));
});
