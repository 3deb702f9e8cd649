import { expect, it } from "vitest";
import { z } from "zod";
import { atomic, listMap, listSet } from "../blocks/lists.ts";
import { immutable, rule } from "../blocks/rule.ts";
import { intOrString } from "../blocks/scalars.ts";
import type { SchemaProblem } from "../errors.ts";
import { SchemaPosition } from "./schema-position.ts";
import { checkStructuralSchema } from "./structural-rules.ts";
import { structuralSchemaOf } from "./structural-schema-of.ts";

function complaints(schema: z.core.$ZodType): readonly string[] {
  const problems: SchemaProblem[] = [];
  const at = SchemaPosition.root(problems).field("spec");
  checkStructuralSchema(structuralSchemaOf(schema, at), at);
  return problems.map(({ path, problem }) => `${path}: ${problem}`);
}

const named = z.object({ name: z.string(), size: immutable(z.int()) });

it.each<[string, z.core.$ZodType]>([
  ["transition rules in a list map", listMap(named, ["name"])],
  ["transition rules in a map", z.record(z.string(), named)],
  ["a key with a default", listMap(z.object({ name: z.string().default("a") }), ["name"])],
  ["a set of scalars", listSet(z.string())],
  ["a set of atomic objects", listSet(atomic(z.object({ a: z.string() })))],
  ["a set of lists", listSet(z.array(z.string()))],
  ["a rule of several lines with a message", rule(z.string(), { rule: "self\n!= ''", message: "must be" })],
  ["a rule on int-or-string", immutable(intOrString())],
  ["a rule on an object with fields of any kind", immutable(z.looseObject({ a: z.unknown() }))],
])("takes %s", (_, schema) => {
  expect(complaints(schema)).toEqual([]);
});

it.each<[string, z.core.$ZodType, string]>([
  ["an empty rule", rule(z.string(), { rule: " " }), "spec: has an empty rule"],
  [
    "a message of two lines",
    rule(z.string(), { rule: "true", message: "a\nb" }),
    "spec: has a rule whose message",
  ],
  ["an empty message", rule(z.string(), { rule: "true", message: "" }), "spec: has a rule whose message"],
  [
    "a rule of two lines without a message",
    rule(z.string(), { rule: "true\n&& true" }),
    "spec: has a rule of several lines",
  ],
  [
    "optionalOldSelf for nothing",
    rule(z.string(), { rule: "true", optionalOldSelf: true }),
    "spec: has the rule true with optionalOldSelf",
  ],
  [
    "a fieldPath without a dot",
    rule(z.string(), { rule: "true", fieldPath: "a" }),
    "spec: has a rule whose fieldPath is a",
  ],
  ["transition rules in a list", z.array(named), "spec[].size: has the rule self == oldSelf"],
  ["transition rules in a set", listSet(immutable(z.string())), "spec[]: has the rule self == oldSelf"],
  ["transition rules in an atomic object", atomic(named), "spec.size: has the rule self == oldSelf"],
  [
    "a rule on anything",
    rule(z.unknown(), { rule: "self != null" }),
    "spec: has the rule self != null, and CEL",
  ],
  [
    "a rule on a list of anything",
    immutable(z.array(z.any())),
    "spec: has the rule self == oldSelf, and CEL",
  ],
  [
    "a rule on a map of lists of anything",
    immutable(z.record(z.string(), z.array(z.unknown()))),
    "spec: has the rule self == oldSelf, and CEL",
  ],
  [
    "a set that could be merged",
    listSet(z.object({ a: z.string() })),
    "spec: is a set whose elements could be merged",
  ],
  ["a set of null", listSet(z.string().nullable()), "spec: is a set of elements that may be null"],
  ["an atomic scalar", atomic(z.string()), "spec: is atomic(), but neither"],
  ["a list map without keys", listMap(named, []), "spec: is a list map without keys"],
  ["a key twice", listMap(named, ["name", "name"]), "spec: is a list map with a key twice"],
  [
    "an optional key",
    listMap(z.object({ name: z.string().optional() }), ["name"]),
    "spec[].name: is a key of a list map and may be missing",
  ],
  [
    "a nullable key",
    listMap(z.object({ name: z.string().nullable() }), ["name"]),
    "spec[].name: is a key of a list map and may be null",
  ],
  [
    "a key that is an object",
    listMap(z.object({ name: z.object({}) }), ["name"]),
    "spec[].name: is a key of a list map and no scalar",
  ],
  [
    "a key that is not there",
    listMap(z.looseObject({}), ["name"]),
    "spec[].name: is a key of a list map, but no field",
  ],
])("reports %s", (_, schema, complaint) => {
  expect(complaints(schema)).toEqual([expect.stringContaining(complaint)]);
});
