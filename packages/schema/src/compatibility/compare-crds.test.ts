import type { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { atomic, listMap, listSet, sized } from "../blocks/lists.ts";
import { rule } from "../blocks/rule.ts";
import { embeddedResource, intOrString } from "../blocks/scalars.ts";
import { defineResource } from "../resource/define-resource.ts";
import type { ResourceDefinition } from "../resource/resource-definition.ts";
import { compareCrds } from "./compare-crds.ts";

const base = { group: "example.com", version: "v1", kind: "App", scope: "Namespaced" } as const;

function crd(definition: Partial<ResourceDefinition>): CustomResourceDefinition {
  return defineResource({ ...base, ...definition }).crd();
}

/** `severity version path` of what the change of one field of the spec may break; no schema means no field. */
function fieldChange(last: z.ZodType | undefined, next: z.ZodType | undefined): readonly string[] {
  const withField = (field: z.ZodType | undefined): CustomResourceDefinition =>
    crd({ spec: z.object({ ...(field !== undefined && { x: field }) }) });
  return summary(withField(last), withField(next));
}

function summary(last: CustomResourceDefinition, next: CustomResourceDefinition): readonly string[] {
  return compareCrds(last, next).map(({ severity, version = "*", path }) => `${severity} ${version} ${path}`);
}

const text = z.string().optional();
const number = z.number().optional();
const named = z.object({ name: z.string(), zone: z.string() });

describe("a field that allows more than before breaks nothing", () => {
  it.each<[string, z.ZodType | undefined, z.ZodType | undefined]>([
    ["an optional field added", undefined, text],
    ["a required field with a default added", undefined, z.string().default("a")],
    ["required dropped", z.string(), text],
    ["a default added", text, z.string().default("a")],
    ["an enum value added", z.enum(["a"]), z.enum(["a", "b"])],
    ["an enum dropped", z.enum(["a"]), z.string()],
    ["bounds loosened", z.number().min(2).max(3), z.number().min(1).max(4)],
    ["a bound included", z.number().gt(2).lt(3), z.number().min(2).max(3)],
    ["bounds dropped", z.string().min(1).max(3).regex(/a/), z.string()],
    ["multiples of less", z.number().multipleOf(6), z.number().multipleOf(3)],
    ["multiples of a fraction", z.number().multipleOf(0.3), z.number().multipleOf(0.1)],
    ["multiples of one of two", z.number().multipleOf(2).multipleOf(3), z.number().multipleOf(3)],
    ["one of two patterns", z.string().regex(/a/).regex(/b/), z.string().regex(/a/)],
    ["patterns in another order", z.string().regex(/a/).regex(/b/), z.string().regex(/b/).regex(/a/)],
    [
      "an enum to limits that it meets",
      z.enum(["a", "bc"]),
      z
        .string()
        .min(1)
        .max(2)
        .regex(/^[a-c]+$/),
    ],
    ["literals to limits that they meet", z.literal([2, 4]), z.int32().min(2).max(4).multipleOf(2)],
    ["the same bound in other words", z.int().positive(), z.int().min(1)],
    ["UUIDs of any version", z.uuidv4(), z.uuid()],
    ["int32 to double", z.int32(), z.float64()],
    ["int64 to float", z.int(), z.float32()],
    ["float to double", z.float32(), z.float64()],
    ["strings to int-or-string with bounds", z.string(), z.union([z.int32().min(1), z.string()])],
    ["integers to int-or-string with a pattern", z.int(), z.union([z.int(), z.string().regex(/a/)])],
    ["lists of any length", z.array(z.string()).min(1).max(3), z.array(z.string())],
    [
      "maps of any size",
      sized(z.record(z.string(), z.string()), { min: 1, max: 2 }),
      z.record(z.string(), z.string()),
    ],
    ["null allowed", z.string(), z.string().nullable()],
    ["integers to numbers", z.int(), z.number()],
    ["int32 to int64", z.int32(), z.int()],
    ["integers to int-or-string", z.int32(), intOrString()],
    ["strings to int-or-string", z.string(), intOrString()],
    ["an object to anything", z.object({ a: z.string() }), z.unknown()],
    ["an object to a loose one", z.object({ a: z.string() }), z.looseObject({})],
    [
      "an object to a map of the same",
      z.object({ a: z.string().optional() }),
      z.record(z.string(), z.string()),
    ],
    ["a rule dropped", rule(z.string(), { rule: "self != ''" }), z.string()],
    [
      "the message of a rule changed",
      rule(z.string(), { rule: "self != ''" }),
      rule(z.string(), { rule: "self != ''", message: "x" }),
    ],
    [
      "an alternative added",
      z.union([z.string().max(0), z.string().min(3)]),
      z.union([z.string().max(0), z.string().min(3), z.literal("a")]),
    ],
    ["a description", z.string(), z.string().describe("what it is")],
  ])("%s", (_, last, next) => {
    expect(fieldChange(last, next)).toEqual([]);
  });
});

describe("a field that allows less than before may break something", () => {
  it.each<[string, z.ZodType | undefined, z.ZodType | undefined, string]>([
    ["it is removed", text, undefined, "breaking v1 .spec.x"],
    ["it is new and required", undefined, z.string(), "breaking v1 .spec.x"],
    ["it is required now", text, z.string(), "breaking v1 .spec.x"],
    ["another type", text, number, "breaking v1 .spec.x"],
    ["numbers to integers", z.number(), z.int(), "breaking v1 .spec.x"],
    ["int-or-string to strings", intOrString(), z.string(), "breaking v1 .spec.x"],
    ["anything to strings", z.unknown(), z.string(), "breaking v1 .spec.x"],
    ["an enum value removed", z.enum(["a", "b"]), z.enum(["a"]), "breaking v1 .spec.x"],
    ["an enum where there was none", z.string(), z.enum(["a"]), "breaking v1 .spec.x"],
    ["a longer minimum", z.string().min(1), z.string().min(2), "breaking v1 .spec.x"],
    ["a maximum where there was none", z.string(), z.string().max(2), "breaking v1 .spec.x"],
    ["a higher minimum", z.number().min(1), z.number().min(2), "breaking v1 .spec.x"],
    ["a lower maximum", z.number().max(2), z.number().max(1), "breaking v1 .spec.x"],
    ["a minimum excluded", z.number().min(1), z.number().gt(1), "breaking v1 .spec.x"],
    ["a maximum excluded", z.number().max(1), z.number().lt(1), "breaking v1 .spec.x"],
    ["multiples of more", z.number().multipleOf(3), z.number().multipleOf(6), "breaking v1 .spec.x"],
    ["longer lists", z.array(z.string()), z.array(z.string()).min(1), "breaking v1 .spec.x"],
    [
      "smaller maps",
      z.record(z.string(), text),
      sized(z.record(z.string(), text), { max: 1 }),
      "breaking v1 .spec.x",
    ],
    ["a pattern", z.string(), z.string().regex(/a/), "breaking v1 .spec.x"],
    ["another pattern", z.string().regex(/b/), z.string().regex(/a/), "risky v1 .spec.x"],
    ["a format", z.string(), z.ipv4(), "breaking v1 .spec.x"],
    ["another format", z.ipv6(), z.ipv4(), "breaking v1 .spec.x"],
    ["int64 to int32", z.int(), z.int32(), "breaking v1 .spec.x"],
    ["an enum to a limit it breaks", z.enum(["a", "bc"]), z.string().max(1), "breaking v1 .spec.x"],
    ["an enum to a pattern it breaks", z.enum(["a", "bc"]), z.string().regex(/^a/), "breaking v1 .spec.x"],
    ["literals to a bound they break", z.literal([1, 2]), z.int().min(2), "breaking v1 .spec.x"],
    ["a second pattern", z.string().regex(/a/), z.string().regex(/a/).regex(/b/), "risky v1 .spec.x"],
    [
      "int64 to int32 beside strings",
      z.union([z.int(), z.string()]),
      z.union([z.int32(), z.string()]),
      "breaking v1 .spec.x",
    ],
    [
      "a rule that holds for new values too",
      rule(z.string(), { rule: "oldSelf == self" }),
      rule(z.string(), { rule: "oldSelf == self", optionalOldSelf: true }),
      "risky v1 .spec.x",
    ],
    ["null refused", z.string().nullable(), z.string(), "breaking v1 .spec.x"],
    ["another default", z.string().default("a"), z.string().default("b"), "risky v1 .spec.x"],
    ["no default", z.string().default("a"), text, "risky v1 .spec.x"],
    ["unknown fields dropped", z.looseObject({}), z.object({}), "breaking v1 .spec.x"],
    ["a named field in a loose object", z.looseObject({}), z.looseObject({ a: text }), "risky v1 .spec.x.a"],
    ["a map to an object", z.record(z.string(), z.string()), z.object({ a: text }), "breaking v1 .spec.x"],
    [
      "a deep change in a list",
      z.array(z.object({ a: text })),
      z.array(z.object({ a: z.string() })),
      "breaking v1 .spec.x[].a",
    ],
    [
      "a deep change in a map",
      z.record(z.string(), text),
      z.record(z.string(), number),
      "breaking v1 .spec.x.*",
    ],
    ["a list to a set", z.array(z.string()), listSet(z.string()), "breaking v1 .spec.x"],
    ["a set to a list", listSet(z.string()), z.array(z.string()), "risky v1 .spec.x"],
    ["other keys", listMap(named, ["name"]), listMap(named, ["zone"]), "breaking v1 .spec.x"],
    ["an atomic object", named, atomic(named), "risky v1 .spec.x"],
    ["a rule", z.string(), rule(z.string(), { rule: "self != ''" }), "risky v1 .spec.x"],
    ["a whole object", z.looseObject({}), embeddedResource(), "breaking v1 .spec.x"],
    [
      "an alternative removed",
      z.union([z.string().max(0), z.string().min(3)]),
      z.union([z.string().max(0), z.string().min(4)]),
      "risky v1 .spec.x",
    ],
  ])("%s", (_, last, next, incompatibility) => {
    expect(fieldChange(last, next)).toEqual([incompatibility]);
  });

  it("reports both when a default is removed and the field becomes required", () => {
    expect(fieldChange(z.string().default("a"), z.string())).toEqual([
      "risky v1 .spec.x",
      "breaking v1 .spec.x",
    ]);
  });

  it("reports what happened in a sentence", () => {
    const [found] = compareCrds(
      crd({ spec: z.object({ color: z.enum(["red", "blue"]) }) }),
      crd({ spec: z.object({ color: z.enum(["blue"]) }) }),
    );
    expect(found).toEqual({
      severity: "breaking",
      version: "v1",
      path: ".spec.color",
      message: '"red" is not allowed any more.',
    });
  });
});

describe("a definition as a whole", () => {
  const spec = z.object({ color: text, replicas: z.int32().optional() });
  const status = z.object({ replicas: z.int32().optional() });
  const full = { spec, status, scale: {}, shortNames: ["a"], selectableFields: [".spec.color"] };
  const v2 = defineResource({ ...base, version: "v2", spec });

  it("is compatible with itself", () => {
    expect(summary(crd(full), crd(full))).toEqual([]);
  });

  it.each<[string, Partial<ResourceDefinition>, Partial<ResourceDefinition>, readonly string[]]>([
    ["scope", {}, { scope: "Cluster" }, ["breaking * scope"]],
    ["group", {}, { group: "example.org" }, ["breaking * group"]],
    ["plural", {}, { plural: "appz" }, ["breaking * names.plural"]],
    ["kind", { plural: "apps" }, { plural: "apps", kind: "Ap" }, ["breaking * names.kind"]],
    ["singular", {}, { singular: "application" }, ["risky * names.singular"]],
    ["short names", full, { ...full, shortNames: [] }, ["risky * names.shortNames"]],
    ["selectable fields", full, { ...full, selectableFields: [] }, ["breaking v1 selectableFields"]],
    ["a status subresource", { spec }, { spec, status }, ["risky v1 subresources.status"]],
    [
      "a version that is not served",
      { versions: [v2], spec },
      { versions: [v2], spec, served: false },
      ["breaking v1 served"],
    ],
    [
      "the paths of scale",
      full,
      { ...full, scale: { labelSelectorPath: ".spec.color" } },
      ["risky v1 subresources.scale"],
    ],
  ])("may break by its %s", (_, last, next, incompatibilities) => {
    expect(summary(crd(last), crd(next))).toEqual(incompatibilities);
  });

  it("may break by a subresource that is removed", () => {
    const { scale: _, ...withoutScale } = full;
    expect(summary(crd(full), crd(withoutScale))).toEqual(["breaking v1 subresources.scale"]);
    expect(summary(crd({ spec, status }), crd({ spec }))).toContain("breaking v1 subresources.status");
  });

  it("may break by a version that is removed: for clients, and for objects stored in it", () => {
    const both = crd({ spec, versions: [v2] });
    const onlyV2 = defineResource({ ...base, version: "v2", spec }).crd();
    expect(summary(both, onlyV2)).toEqual(["breaking v1 versions", "breaking v1 versions"]);
    const migrated = { ...both, status: { storedVersions: ["v2"] } };
    expect(compareCrds(migrated, onlyV2)).toEqual([
      expect.objectContaining({ version: "v1", message: "The version is gone, and clients may use it." }),
    ]);
  });

  it("may break by a version that reads stored objects without conversion and knows less of them", () => {
    const lesser = defineResource({ ...base, version: "v2", spec: z.object({}) });
    const last = crd({ spec: z.object({ color: text }) });
    expect(summary(last, crd({ spec: z.object({ color: text }), versions: [lesser] }))).toEqual([
      "risky v2 .spec.color",
    ]);
    const unserved = defineResource({ ...base, version: "v2", spec: z.object({}), served: false });
    const hidden = crd({ spec: z.object({ color: text }), versions: [unserved] });
    expect(summary(last, hidden)).toEqual([]);
    expect(summary(hidden, crd({ spec: z.object({ color: text }), versions: [lesser] }))).toEqual([
      "risky v2 .spec.color",
    ]);
    const conversionWebhook = { url: "https://localhost/convert" };
    const converted = crd({ spec: z.object({ color: text }), versions: [lesser], conversionWebhook });
    expect(summary(last, converted)).toEqual([]);
    expect(summary(converted, crd({ spec: z.object({ color: text }), versions: [lesser] }))).toEqual([
      "risky * conversion",
    ]);
  });
});
