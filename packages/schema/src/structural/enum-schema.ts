import { z } from "zod";
import type { SchemaPosition } from "./schema-position.ts";
import type { StructuralSchema } from "./structural-schema.ts";

export function enumSchema(entries: z.core.util.EnumLike, at: SchemaPosition): StructuralSchema {
  return literalSchema(z.core.util.getEnumValues(entries), at);
}

/** One of these values. They must be of one type, because a structural schema knows no type but one; null may join. */
export function literalSchema(values: readonly unknown[], at: SchemaPosition): StructuralSchema {
  const present = values.filter((value) => value !== null);
  const types = new Set(present.map(typeOf));
  const [type] = types;
  if (types.size !== 1 || type === undefined) {
    at.report(
      `allows ${values.map(String).join(", ")}, which are not all strings, all numbers or all booleans`,
      "use values of one type",
    );
    return {};
  }
  const allIntegers = present.every(Number.isInteger);
  const node: StructuralSchema = { type: type === "number" && allIntegers ? "integer" : type, enum: present };
  return values.includes(null) ? orNull(node, at) : node;
}

/** The node with null allowed beside its values. */
export function orNull(node: StructuralSchema, at: SchemaPosition): StructuralSchema {
  const limits = [node, ...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  // The server compares null with the values of an enum and finds it equal to none, not even to null.
  if (limits.some((limit) => limit.enum !== undefined)) {
    at.report(
      "allows null beside an enum, and the server then refuses null",
      "use .optional(), or a value such as None",
    );
  }
  return { ...node, nullable: true };
}

function typeOf(value: unknown): "string" | "number" | "boolean" | undefined {
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : undefined;
}
