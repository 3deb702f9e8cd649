import { deepEqual, isRecord } from "@keelson/core";
import { z } from "zod";
import type { OfPart } from "./object-schema.ts";
import type { SchemaPosition } from "./schema-position.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** The inner schema with its default, which the server sets where the field is missing. */
export function withDefault(
  def: z.core.$ZodDefaultDef | z.core.$ZodPrefaultDef,
  at: SchemaPosition,
  ofPart: OfPart,
): StructuralSchema {
  const problemsBefore = at.problemCount;
  const node = ofPart(def.innerType, at);
  const value: unknown = def.defaultValue;
  const sound = at.problemCount === problemsBefore;
  if (value === null) {
    at.report("has null for a default, which the server does not set", "use .optional() instead");
  }
  const problem = sound ? problemWith(value, def, node) : undefined;
  if (problem !== undefined) at.report(`has a default that ${problem}`, "change the default or the schema");
  return { ...node, default: value };
}

function problemWith(
  value: unknown,
  def: z.core.$ZodDefaultDef | z.core.$ZodPrefaultDef,
  node: StructuralSchema,
): string | undefined {
  if (!isJson(value)) return "is not JSON";
  // zod hides whether the default is a function; one that is, and is not constant, gives itself away here.
  if (!deepEqual(value, def.defaultValue)) return "is another one each time";
  const parsed = z.safeParse(def.innerType, value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `its own schema refuses (${[...(issue?.path ?? []), issue?.message].join(": ")})`;
  }
  const unknown = unknownFieldIn(value, node);
  return unknown === undefined ? undefined : `has a field its schema does not know (${unknown})`;
}

function isJson(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isJson);
  if (isRecord(value))
    return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isJson);
  return value === null || ["string", "boolean"].includes(typeof value) || Number.isFinite(value);
}

/** The server refuses a default that it would have to prune. */
function unknownFieldIn(value: unknown, node: StructuralSchema): string | undefined {
  if (Array.isArray(value)) {
    return value
      .map((element) => unknownFieldIn(element, node.items ?? {}))
      .find((name) => name !== undefined);
  }
  if (!isRecord(value) || node["x-kubernetes-preserve-unknown-fields"]) return undefined;
  for (const [name, field] of Object.entries(value)) {
    const rest = typeof node.additionalProperties === "object" ? node.additionalProperties : undefined;
    const known = node.properties?.[name] ?? rest;
    const unknown = known === undefined ? name : unknownFieldIn(field, known);
    if (unknown !== undefined) return unknown;
  }
  return undefined;
}
