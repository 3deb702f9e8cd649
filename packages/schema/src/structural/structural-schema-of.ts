import { z } from "zod";
import { constraintsOf, refuseConstraints } from "./checks.ts";
import { withDefault } from "./default-value.ts";
import { enumSchema, literalSchema, orNull } from "./enum-schema.ts";
import { ownExtensions } from "./extension.ts";
import { withExtensions } from "./extension-schema.ts";
import { numberSchema } from "./number-schema.ts";
import { objectSchema } from "./object-schema.ts";
import type { SchemaPosition } from "./schema-position.ts";
import { lengthLimits, stringSchema, templateLiteralSchema } from "./string-schema.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { unionSchema } from "./union-schema.ts";

/**
 * What a zod schema accepts from a user, as a structural schema. What has no words in one is reported at its place, and
 * something harmless stands in for it: the caller must look at the reports before it uses the result.
 */
export function structuralSchemaOf(schema: z.core.$ZodType, at: SchemaPosition): StructuralSchema {
  const here = at.inside(schema);
  if (here === undefined) {
    at.report(
      "contains itself, and a structural schema is finite",
      "end the recursion, or use z.unknown() for the rest",
    );
    return {};
  }
  if (!isZodType(schema)) return refuse("unknown", here);
  const extensions = ownExtensions(schema);
  const fixed = extensions.findLast(({ node }) => node !== undefined)?.node;
  if (fixed !== undefined) refuseConstraints(constraintsOf(schema, here), here);
  const node = fixed ?? nodeOf(schema, here);
  return { ...withExtensions(node, extensions), ...documentationOf(schema, here) };
}

function nodeOf(schema: z.core.$ZodTypes, at: SchemaPosition): StructuralSchema {
  const { def } = schema._zod;
  const constraints = constraintsOf(schema, at);
  const ofPart = structuralSchemaOf;
  if (!["string", "number", "array"].includes(def.type)) refuseConstraints(constraints, at);
  if ("coerce" in def && def.coerce === true) {
    at.report("converts what it is given, which the API server does not", "leave out z.coerce");
  }
  if (schema instanceof z.core.$ZodTemplateLiteral) return templateLiteralSchema(schema, at);
  switch (def.type) {
    case "string":
      return stringSchema(constraints, at);
    case "number":
      return numberSchema(constraints, at);
    case "array":
      return arraySchema(def, constraints, at);
    case "boolean":
      return { type: "boolean" };
    case "any":
    case "unknown":
      // Null is anything too; without `nullable` the server would drop it.
      return { "x-kubernetes-preserve-unknown-fields": true, nullable: true };
    case "enum":
      return enumSchema(def.entries, at);
    case "literal":
      return literalSchema(def.values, at);
    case "object":
      return objectSchema(def, at, ofPart);
    case "record":
      return recordSchema(def, at);
    case "union":
      return unionSchema(def, at, ofPart);
    case "optional":
    case "nonoptional":
    case "readonly":
      return ofPart(def.innerType, at);
    case "nullable":
      return orNull(ofPart(def.innerType, at), at);
    case "default":
    case "prefault":
      return withDefault(def, at, ofPart);
    case "lazy":
      return ofPart(def.getter(), at);
    default:
      return refuse(def.type, at);
  }
}

function arraySchema(
  def: z.core.$ZodArrayDef,
  constraints: ReturnType<typeof constraintsOf>,
  at: SchemaPosition,
): StructuralSchema {
  const limits = constraints.map(lengthLimits);
  refuseConstraints(
    constraints.filter((_, index) => limits[index]?.length === 0),
    at,
  );
  const min = limits.map(([least]) => least).filter((least) => least !== undefined);
  const max = limits.map(([, most]) => most).filter((most) => most !== undefined);
  return {
    type: "array",
    items: structuralSchemaOf(def.element, at.items()),
    ...(min.length > 0 && Math.max(...min) > 0 && { minItems: Math.max(...min) }),
    ...(max.length > 0 && { maxItems: Math.min(...max) }),
  };
}

function recordSchema(def: z.core.$ZodRecordDef, at: SchemaPosition): StructuralSchema {
  const keys: unknown = def.keyType;
  const isPlain = keys instanceof z.core.$ZodString && keys._zod.def.type === "string" && !hasLimits(keys);
  if (!isPlain) {
    at.report(
      "limits the keys of a map, which a structural schema cannot",
      "use z.string() for the keys and rule(), or z.object() for keys known in advance",
    );
  }
  return { type: "object", additionalProperties: structuralSchemaOf(def.valueType, at.values()) };
}

function hasLimits(keys: z.core.$ZodString): boolean {
  return "check" in keys._zod.def || (keys._zod.def.checks ?? []).length > 0;
}

function documentationOf(schema: z.core.$ZodType, at: SchemaPosition): StructuralSchema {
  const metadata = z.globalRegistry.get(schema) ?? {};
  const stray = Object.keys(metadata).find((key) => key.startsWith("x-kubernetes-"));
  if (stray !== undefined) {
    at.report(
      `has ${stray} in .meta(), where only title and description are read`,
      "use the function for it, such as rule() or listMap()",
    );
  }
  const { title, description } = metadata;
  return { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
}

const remedies: Readonly<Record<string, string>> = {
  bigint: "use z.int()",
  catch: "leave out .catch()",
  custom: "describe its shape, or use z.unknown() and rule()",
  date: "use z.iso.datetime()",
  intersection: "use one z.object(), with .extend() or spread shapes",
  map: "use z.record()",
  never: "leave the field out",
  null: "use .nullable()",
  pipe: "leave out .transform() and .pipe(), and convert where the value is used",
  set: "use listSet()",
  transform: "leave out the transformation, and convert where the value is used",
  tuple: "use z.object() with named fields, or z.array()",
  undefined: "use .optional()",
  void: "use .optional()",
};

function refuse(type: string, at: SchemaPosition): StructuralSchema {
  at.report(
    `is of zod's type ${type}, which a structural schema cannot say`,
    remedies[type] ?? "use another type",
  );
  return {};
}

/** Asserts to the compiler that a schema is of one of zod's types; what is of a type unknown here is refused by its name. */
function isZodType(schema: z.core.$ZodType): schema is z.core.$ZodTypes {
  return schema instanceof z.core.$ZodType;
}
