import type { FieldSchema } from "../schema/field-schema.ts";

/** How a strategic merge patch treats a field. */
interface PatchMeta {
  /** The schema of the value; undefined if it is unknown. */
  readonly schema: FieldSchema | undefined;
  /** `merge` or `replace`; undefined: maps merge, lists are replaced. */
  readonly strategy: string | undefined;
  /** The field that identifies the elements of a list; empty for lists of scalars. */
  readonly mergeKey: string;
}

export function patchMetaOf(schema: FieldSchema | undefined, key: string): PatchMeta {
  const field = fieldSchema(schema, key);
  const strategies = field?.["x-kubernetes-patch-strategy"]?.split(",") ?? [];
  return {
    schema: resolved(field),
    strategy: strategies.find((strategy) => strategy !== "retainKeys"),
    mergeKey: field?.["x-kubernetes-patch-merge-key"] ?? "",
  };
}

/** The schema of a list's elements. */
export function elementsOf(schema: FieldSchema | undefined): FieldSchema | undefined {
  return resolved(schema?.items);
}

/** Whether objects of this schema may have the field; without a schema they may have any. */
export function declares(schema: FieldSchema | undefined, key: string): boolean {
  if (schema?.properties === undefined) return true;
  return Object.hasOwn(schema.properties, key) || schema.additionalProperties !== undefined;
}

function fieldSchema(parent: FieldSchema | undefined, key: string): FieldSchema | undefined {
  const schema = resolved(parent);
  if (schema === undefined) return undefined;
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, key)) return schema.properties[key];
  const rest = schema.additionalProperties;
  return typeof rest === "object" ? rest : undefined;
}

/** A reference with keywords of its own, such as a default, is an `allOf` of one schema. */
function resolved(schema: FieldSchema | undefined): FieldSchema | undefined {
  const [only, ...more] = schema?.allOf ?? [];
  return schema?.type === undefined && only !== undefined && more.length === 0 ? only : schema;
}

/** The name of a built-in type without its package: `ObjectMeta`. */
export function typeNameOf(schema: FieldSchema | undefined): string | undefined {
  const name = schema?.typeName;
  return name?.slice(name.lastIndexOf(".") + 1);
}
