import { deepEqual } from "@keelson/core";
import { z } from "zod";
import { orNull } from "./enum-schema.ts";
import { withoutNumberFormat } from "./number-schema.ts";
import type { OfPart } from "./object-schema.ts";
import type { SchemaPosition } from "./schema-position.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { alternatives, type Junctor, limitsBeside, mergeObjects, sharedFormat } from "./union-of-objects.ts";

/**
 * A value that fits one of several schemas. A structural schema must declare once what the value is, and may only limit it
 * inside `anyOf` and `oneOf`; so the options must be of one type, or be an integer and a string.
 */
export function unionSchema(def: z.core.$ZodUnionDef, at: SchemaPosition, ofPart: OfPart): StructuralSchema {
  const isExclusive = "discriminator" in def || def.inclusive === false;
  const options = isExclusive ? def.options : def.options.flatMap(flatten);
  const values = options.filter((option) => !(option instanceof z.core.$ZodNull));
  const nodes = values.map((option) => ofPart(option, at));
  if (values.some((option) => option._zod.optin !== undefined)) {
    at.report(
      "has an option that may be left out",
      "move .optional() or .default() from the option to the union",
    );
  }
  if (nodes.some((node) => node["x-kubernetes-validations"] !== undefined)) {
    at.report("has an option with a rule, which would hold for every option", "move the rule to the union");
  }
  const isNullable = values.length < options.length || nodes.some(({ nullable }) => nullable === true);
  const merged = merge(nodes.map(withoutAnnotations), isExclusive ? "oneOf" : "anyOf", at);
  return isNullable ? orNull(merged, at) : merged;
}

/** A union as an option of a union adds its options, unless it carries more than them. */
function flatten(option: z.core.$ZodType): readonly z.core.$ZodType[] {
  const isPlainUnion =
    option instanceof z.core.$ZodUnion &&
    !("discriminator" in option._zod.def) &&
    option._zod.def.inclusive !== false &&
    (option._zod.def.checks ?? []).length === 0;
  return isPlainUnion ? option._zod.def.options.flatMap(flatten) : [option];
}

function merge(nodes: readonly StructuralSchema[], junctor: Junctor, at: SchemaPosition): StructuralSchema {
  const [first, ...others] = nodes;
  if (first === undefined) return {};
  if (others.every((node) => deepEqual(node, first))) return first;
  if (nodes.every(isPlainEnum)) return mergeEnums(nodes, at);
  const intOrString = mergeIntOrString(nodes);
  if (intOrString !== undefined) return intOrString;
  const { type } = first;
  if (type === undefined || others.some((node) => node.type !== type)) return refuse(nodes, at);
  if (type === "object") return mergeObjects(nodes, junctor, at) ?? refuse(nodes, at);
  return type === "array" ? refuse(nodes, at) : mergeScalars(type, nodes, junctor);
}

/** What all options share stands outside, and each adds its limits. */
function mergeScalars(
  type: NonNullable<StructuralSchema["type"]>,
  nodes: readonly StructuralSchema[],
  junctor: Junctor,
): StructuralSchema {
  const kind = { type, ...sharedFormat(nodes) };
  const branches = nodes.map(withoutType).map((node) => limitsBeside(kind, node));
  return { ...kind, ...alternatives(branches, junctor) };
}

function refuse(nodes: readonly StructuralSchema[], at: SchemaPosition): StructuralSchema {
  const types = new Set(nodes.map(({ type }) => type ?? "anything"));
  at.report(
    `is a union of ${[...types].join(" and ")} that a structural schema cannot say`,
    "use one object with optional fields and rule(), or z.unknown()",
  );
  return {};
}

/** `z.union([z.int(), z.string()])`: limits on numbers and limits on strings do not touch each other's values. */
function mergeIntOrString(nodes: readonly StructuralSchema[]): StructuralSchema | undefined {
  const integer = nodes.find(({ type }) => type === "integer");
  const string = nodes.find(({ type }) => type === "string");
  if (nodes.length !== 2 || integer === undefined || string === undefined) return undefined;
  if (integer.enum !== undefined || string.enum !== undefined || string.format !== undefined)
    return undefined;
  const { type: _, allOf: integerLimits = [], ...integerRest } = withoutNumberFormat(integer);
  const { type: __, allOf: stringLimits = [], ...stringRest } = string;
  const allOf = [...integerLimits, ...stringLimits];
  return {
    "x-kubernetes-int-or-string": true,
    ...integerRest,
    ...stringRest,
    ...(allOf.length > 0 && { allOf }),
  };
}

function isPlainEnum(node: StructuralSchema): boolean {
  return node.enum !== undefined && Object.keys(node).every((key) => key === "enum" || key === "type");
}

function mergeEnums(nodes: readonly StructuralSchema[], at: SchemaPosition): StructuralSchema {
  const type = nodes[0]?.type;
  if (type === undefined || nodes.some((node) => node.type !== type)) return refuse(nodes, at);
  return { type, enum: [...new Set(nodes.flatMap((node) => node.enum ?? []))] };
}

/** Documentation of an option has no place in the result; nullability goes to the union. */
function withoutAnnotations(node: StructuralSchema): StructuralSchema {
  const { title: _, description: __, nullable: ___, ...rest } = node;
  return rest;
}

function withoutType({ type: _, ...rest }: StructuralSchema): StructuralSchema {
  return rest;
}
