import { describe, expect, it } from "vitest";
import { z } from "zod";
import { atomic, listMap, listSet, sized } from "../blocks/lists.ts";
import { immutable, rule } from "../blocks/rule.ts";
import { duration, embeddedResource, intOrString, quantity } from "../blocks/scalars.ts";
import type { SchemaProblem } from "../errors.ts";
import { SchemaPosition } from "./schema-position.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { structuralSchemaOf } from "./structural-schema-of.ts";

function made(schema: z.core.$ZodType): { node: StructuralSchema; problems: readonly SchemaProblem[] } {
  const problems: SchemaProblem[] = [];
  const node = structuralSchemaOf(schema, SchemaPosition.root(problems).field("spec"));
  return { node, problems };
}

function structural(schema: z.core.$ZodType): StructuralSchema {
  const { node, problems } = made(schema);
  expect(problems).toEqual([]);
  return node;
}

/** `path: problem` of everything wrong with a schema. */
function complaints(schema: z.core.$ZodType): readonly string[] {
  return made(schema).problems.map(({ path, problem }) => `${path}: ${problem}`);
}

describe("scalars", () => {
  it.each<[string, z.core.$ZodType, StructuralSchema]>([
    ["a string", z.string(), { type: "string" }],
    ["lengths", z.string().min(1).max(63), { type: "string", minLength: 1, maxLength: 63 }],
    [
      "the tightest lengths",
      z.string().min(1).min(3).length(5),
      { type: "string", minLength: 5, maxLength: 5 },
    ],
    ["a pattern", z.string().regex(/^a+$/), { type: "string", pattern: "^a+$" }],
    ["flags of a pattern", z.string().regex(/^a+$/i), { type: "string", pattern: "(?i)^a+$" }],
    [
      "several patterns",
      z.string().startsWith("a").endsWith("z"),
      { type: "string", allOf: [{ pattern: "^a.*" }, { pattern: ".*z$" }] },
    ],
    ["a template", z.templateLiteral(["v", z.int()]), { type: "string", pattern: "^v-?\\d+$" }],
    ["a boolean", z.boolean(), { type: "boolean" }],
    ["a number", z.number(), { type: "number" }],
    ["an integer", z.int(), { type: "integer", format: "int64" }],
    ["an integer by check", z.number().int(), { type: "integer", format: "int64" }],
    ["an int32", z.int32(), { type: "integer", format: "int32" }],
    ["a uint32", z.uint32(), { type: "integer", format: "int64", minimum: 0, maximum: 4294967295 }],
    ["the narrower of two formats", z.int32().int(), { type: "integer", format: "int32" }],
    ["what two formats share", z.int32().check(z.uint32()), { type: "integer", format: "int32", minimum: 0 }],
    [
      "bounds of integers as integers",
      z.int().gt(0.5).lt(9),
      { type: "integer", format: "int64", minimum: 1, maximum: 8 },
    ],
    [
      "bounds that came before the integer",
      z.number().min(-0.5).max(8.5).int(),
      { type: "integer", format: "int64", minimum: 0, maximum: 8 },
    ],
    [
      "the end of a format",
      z.int32().lt(2 ** 31),
      { type: "integer", format: "int32", maximum: 2 ** 31 - 1 },
    ],
    ["bounds that are none", z.number().min(-Infinity).max(Infinity), { type: "number" }],
    ["a float", z.float32(), { type: "number", format: "float" }],
    ["a double", z.float64(), { type: "number", format: "double" }],
    ["bounds", z.number().min(1).max(5), { type: "number", minimum: 1, maximum: 5 }],
    [
      "exclusive bounds",
      z.number().gt(1).lt(5),
      { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true },
    ],
    [
      "the tightest bounds",
      z.number().min(1).gt(1).max(9).lt(8).max(8),
      { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 8, exclusiveMaximum: true },
    ],
    ["multiples", z.int().multipleOf(5), { type: "integer", format: "int64", multipleOf: 5 }],
    [
      "several multiples",
      z.number().multipleOf(2).multipleOf(3),
      { type: "number", allOf: [{ multipleOf: 2 }, { multipleOf: 3 }] },
    ],
    ["an enum", z.enum(["b", "a"]), { type: "string", enum: ["b", "a"] }],
    ["a literal", z.literal("a"), { type: "string", enum: ["a"] }],
    ["numeric literals", z.literal([1, 2]), { type: "integer", enum: [1, 2] }],
    ["anything", z.unknown(), { "x-kubernetes-preserve-unknown-fields": true, nullable: true }],
    ["null or a value", z.string().nullable(), { type: "string", nullable: true }],
    ["a brand", z.string().brand("Image"), { type: "string" }],
    ["read-only", z.string().readonly(), { type: "string" }],
    ["something late", z.lazy(() => z.string()), { type: "string" }],
  ])("expresses %s", (_, schema, node) => {
    expect(structural(schema)).toEqual(node);
  });

  it.each<[string, z.core.$ZodType, string]>([
    ["base64", z.base64(), "byte"],
    ["date", z.iso.date(), "date"],
    ["date-time", z.iso.datetime({ offset: true }), "date-time"],
    ["email", z.email(), "email"],
    ["email by check", z.string().check(z.email()), "email"],
    ["hostname", z.hostname(), "hostname"],
    ["IPv4", z.ipv4(), "ipv4"],
    ["IPv6", z.ipv6(), "ipv6"],
    ["MAC", z.mac(), "mac"],
    ["URL", z.url(), "uri"],
    ["UUID", z.uuid(), "uuid"],
    ["GUID", z.guid(), "uuid"],
    ["UUID v4", z.uuidv4(), "uuid4"],
  ])(
    "writes the format %s with Kubernetes' name and leaves the pattern to the server",
    (_, schema, format) => {
      expect(structural(schema)).toEqual({ type: "string", format });
    },
  );

  it("keeps zod's pattern where the server's format asks for less", () => {
    expect(structural(z.cidrv4())).toMatchObject({
      format: "cidr",
      pattern: expect.stringContaining("25[0-5]"),
    });
    expect(structural(z.uuidv7())).toMatchObject({ format: "uuid", pattern: expect.stringContaining("-7") });
    expect(structural(z.iso.datetime({ precision: 3 }))).toMatchObject({
      format: "date-time",
      pattern: expect.any(String),
    });
    expect(structural(z.email({ pattern: /^[^@]+@example\.com$/ }))).toEqual({
      type: "string",
      format: "email",
      pattern: "^[^@]+@example\\.com$",
    });
    expect(structural(z.mac({ delimiter: "-" }))).toMatchObject({
      format: "mac",
      pattern: expect.stringContaining("-"),
    });
    expect(structural(z.ulid())).toEqual({ type: "string", pattern: expect.any(String) });
  });

  it("has what zod lacks", () => {
    expect(structural(intOrString())).toEqual({ "x-kubernetes-int-or-string": true });
    expect(structural(quantity())).toEqual({
      "x-kubernetes-int-or-string": true,
      pattern: expect.stringContaining("[KMGTPE]i"),
    });
    expect(structural(duration().max(9))).toEqual({
      type: "string",
      format: "duration",
      maxLength: 9,
      pattern: expect.any(String),
    });
  });
});

describe("lists, maps and objects", () => {
  it.each<[string, z.core.$ZodType, StructuralSchema]>([
    ["a list", z.array(z.string()), { type: "array", items: { type: "string" } }],
    [
      "the length of a list",
      z.array(z.string()).min(1).max(3),
      { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 },
    ],
    [
      "a set",
      listSet(z.string()).max(3),
      { type: "array", items: { type: "string" }, maxItems: 3, "x-kubernetes-list-type": "set" },
    ],
    [
      "a list map",
      listMap(z.object({ name: z.string() }), ["name"]).min(1),
      {
        type: "array",
        items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
        minItems: 1,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
      },
    ],
    [
      "an atomic list",
      atomic(z.array(z.string())),
      { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "atomic" },
    ],
    [
      "a map",
      z.record(z.string(), z.int32()),
      { type: "object", additionalProperties: { type: "integer", format: "int32" } },
    ],
    [
      "an atomic map",
      atomic(z.record(z.string(), z.string())),
      { type: "object", additionalProperties: { type: "string" }, "x-kubernetes-map-type": "atomic" },
    ],
    [
      "the size of a map",
      sized(z.record(z.string(), z.string()), { min: 1, max: 9 }),
      { type: "object", additionalProperties: { type: "string" }, minProperties: 1, maxProperties: 9 },
    ],
    ["a loose object", z.looseObject({}), { type: "object", "x-kubernetes-preserve-unknown-fields": true }],
    ["a strict object", z.strictObject({}), { type: "object" }],
    [
      "a whole object",
      embeddedResource(),
      {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      },
    ],
    [
      "which fields users must set",
      z.object({
        required: z.string(),
        optional: z.string().optional(),
        exact: z.string().exactOptional(),
        defaulted: z.string().default("x"),
        again: z.string().optional().nonoptional(),
      }),
      {
        type: "object",
        properties: {
          required: { type: "string" },
          optional: { type: "string" },
          exact: { type: "string" },
          defaulted: { type: "string", default: "x" },
          again: { type: "string" },
        },
        required: ["again", "required"],
      },
    ],
    [
      "the default of an object, whose own defaults the server adds",
      z.object({ size: z.int32().default(1) }).prefault({}),
      {
        type: "object",
        properties: { size: { type: "integer", format: "int32", default: 1 } },
        default: {},
      },
    ],
  ])("expresses %s", (_, schema, node) => {
    expect(structural(schema)).toEqual(node);
  });
});

describe("documentation", () => {
  it("takes description and title from where they are", () => {
    expect(structural(z.string().describe("a name").min(1).optional())).toEqual({
      type: "string",
      minLength: 1,
      description: "a name",
    });
    expect(structural(z.string().meta({ title: "Name", description: "a name" }))).toEqual({
      type: "string",
      title: "Name",
      description: "a name",
    });
  });

  it("prefers the outer description", () => {
    expect(structural(z.string().describe("inner").optional().describe("outer"))).toEqual({
      type: "string",
      description: "outer",
    });
  });
});

describe("rules", () => {
  const positive = { rule: "self > 0", message: "must be positive" };
  const even = { rule: "self % 2 == 0" };

  it("keeps them in order, through whatever is called later", () => {
    const schema = rule(rule(z.int(), positive).max(9), even).optional();
    expect(structural(schema)).toMatchObject({ maximum: 9, "x-kubernetes-validations": [positive, even] });
  });

  it("keeps those of an object that is extended", () => {
    const schema = rule(z.object({ a: z.int() }), { rule: "self.a > 0" }).extend({ b: z.int() });
    expect(structural(schema)["x-kubernetes-validations"]).toEqual([{ rule: "self.a > 0" }]);
  });

  it("leaves the schema they were put on as it was", () => {
    const base = z.int();
    rule(base, positive);
    expect(structural(base)).toEqual({ type: "integer", format: "int64" });
  });

  it("changes nothing for zod", () => {
    expect(rule(z.int(), { rule: "false" }).parse(7)).toBe(7);
  });

  it("expresses immutability as a transition rule on the field", () => {
    const schema = z.object({ image: immutable(z.string()), size: immutable(z.int().default(1), "fixed") });
    expect(structural(schema)).toEqual({
      type: "object",
      properties: {
        image: {
          type: "string",
          "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "must not be changed" }],
        },
        size: {
          type: "integer",
          format: "int64",
          default: 1,
          "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "fixed" }],
        },
      },
      required: ["image"],
    });
  });

  it("lets the parent watch over immutable fields that can be absent", () => {
    const schema = z.object({
      "storage-class": immutable(z.string()).optional(),
      namespace: immutable(z.string()).nullable(),
    });
    expect(structural(schema)["x-kubernetes-validations"]).toEqual([
      {
        rule: "has(self.__namespace__) == has(oldSelf.__namespace__)",
        message: "must not be changed",
        fieldPath: ".namespace",
      },
      {
        rule: "has(self.storage__dash__class) == has(oldSelf.storage__dash__class)",
        message: "must not be changed",
        fieldPath: "['storage-class']",
      },
    ]);
  });
});

describe("what a structural schema cannot express", () => {
  it.each<[string, z.core.$ZodType, string]>([
    ["a refinement", z.string().refine((text) => text !== ""), "spec: has a refinement"],
    ["a refinement of an optional", z.string().optional().refine(Boolean), "spec: has a refinement"],
    ["a refinement of a whole object", embeddedResource().refine(Boolean), "spec: has a refinement"],
    ["a custom type", z.custom<string>(() => true), "spec: is of zod's type custom"],
    ["a change of the value", z.string().trim(), "spec: changes values"],
    ["a coercion", z.coerce.number(), "spec: converts what it is given"],
    ["a transformation", z.string().transform(Number), "spec: is of zod's type pipe"],
    ["a codec", z.stringbool(), "spec: is of zod's type pipe"],
    ["a fallback", z.string().catch("x"), "spec: is of zod's type catch"],
    ["look-ahead", z.string().regex(/a(?=b)/), "spec: has the pattern /a(?=b)/ with look-ahead"],
    ["a bound beyond int32", z.int32().max(2 ** 32 - 1), "spec: is bounded by 4294967295, which int32"],
    ["a bound below uint32", z.uint32().min(-1), "spec: is bounded by -1, which uint32"],
    ["a bound beyond integers", z.int().max(1e30), "spec: is bounded by 1e+30, which safeint"],
    ["a bound beyond floats", z.float32().max(1e300), "spec: is bounded by 1e+300, which float32"],
    ["a bound nothing meets", z.number().min(Infinity), "spec: is bounded by Infinity, which a number"],
    ["fractions of an integer", z.int().multipleOf(0.5), "spec: is a multiple of 0.5"],
    ["two formats", z.email().check(z.url()), "spec: has the formats email and uri"],
    ["a URL made normal", z.url({ normalize: true }), "spec: changes values to their normal form"],
    ["null for a default", z.string().nullable().default(null), "spec: has null for a default"],
    ["an ISO duration", z.iso.duration(), "spec: is an ISO 8601 duration"],
    ["the protocol of a URL", z.url({ protocol: /^https$/ }), "spec: limits the protocol or the host"],
    ["a time without a zone", z.iso.datetime({ local: true }), "spec: allows times without a zone"],
    ["a format without a pattern", z.jwt(), "spec: has the format jwt"],
    ["a date", z.object({ at: z.date() }), "spec.at: is of zod's type date"],
    ["a bigint", z.array(z.bigint()), "spec[]: is of zod's type bigint"],
    ["undefined", z.record(z.string(), z.undefined()), "spec.*: is of zod's type undefined"],
    ["a tuple", z.object({ "a.b": z.tuple([z.string()]) }), 'spec["a.b"]: is of zod\'s type tuple'],
    ["a map", z.map(z.string(), z.string()), "spec: is of zod's type map"],
    ["an intersection", z.intersection(z.object({}), z.object({})), "spec: is of zod's type intersection"],
    ["null among literals", z.literal(["a", null]), "spec: allows null beside an enum"],
    ["null beside an enum", z.enum(["a"]).nullable(), "spec: allows null beside an enum"],
    ["literals of two types", z.literal(["a", 1]), "spec: allows a, 1, which are not all"],
    ["keys of a map that are not any string", z.record(z.enum(["a"]), z.string()), "spec: limits the keys"],
    ["keys of a map with a pattern", z.record(z.string().regex(/a/), z.string()), "spec: limits the keys"],
    ["numeric keys", z.record(z.number(), z.string()), "spec: limits the keys"],
    [
      "a schema for other fields",
      z.object({}).catchall(z.string()),
      "spec: has named fields and a .catchall()",
    ],
    [
      "extensions in .meta()",
      z.string().meta({ "x-kubernetes-a": 1 }),
      "spec: has x-kubernetes-a in .meta()",
    ],
    ["a default of another type", z.unknown().default(() => 1n), "spec: has a default that is not JSON"],
    [
      "a default that is computed",
      z.number().default(Math.random),
      "spec: has a default that is another one",
    ],
    [
      "a default that does not fit",
      z.string().max(1).default("xx"),
      "spec: has a default that its own schema",
    ],
    [
      "a default with a field too many",
      z.array(z.object({})).default([JSON.parse('{ "a": 1 }')]),
      "spec: has a default that has a field its schema does not know (a)",
    ],
    [
      "an immutable field that CEL cannot name",
      z.object({ "1st": immutable(z.string()).optional() }),
      'spec["1st"]: is immutable, and CEL has no way',
    ],
  ])("reports %s", (_, schema, complaint) => {
    expect(complaints(schema)).toEqual([expect.stringContaining(complaint)]);
  });

  it("reports a schema that contains itself, however it does", () => {
    const byGetter = z.object({
      get children() {
        return z.array(byGetter);
      },
    });
    const anew = (): z.ZodType => z.lazy(anew);
    expect(complaints(byGetter)).toEqual([expect.stringContaining("spec.children[]: contains itself")]);
    expect(complaints(anew())).toEqual([expect.stringContaining("spec: contains itself")]);
    expect(complaints(z.json())).not.toEqual([]);
  });

  it("reports everything at once", () => {
    const schema = z.object({ a: z.date(), b: z.array(z.object({ c: z.bigint() })) });
    expect(complaints(schema)).toHaveLength(2);
  });
});
