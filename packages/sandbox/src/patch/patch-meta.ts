import type { FieldSchema } from "../schema/field-schema.ts";

/** How a field takes part in a strategic merge. */
interface PatchMeta {
  /** Of the field's value; undefined where nothing is known of it. */
  readonly schema: FieldSchema | undefined;
  /** `merge` or `replace`; undefined: maps merge, lists are replaced. */
  readonly strategy: string | undefined;
  /** Which field tells the elements of a list apart; empty for lists of scalars. */
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

/** Whether objects of this schema have such a field; unknown ones may have any. */
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

/** A reference that has remarks of its own (a default, say) is wrapped in an `allOf` of one. */
function resolved(schema: FieldSchema | undefined): FieldSchema | undefined {
  const [only, ...others] = schema?.allOf ?? [];
  return schema?.type === undefined && only !== undefined && others.length === 0 ? only : schema;
}

/** The name of a built-in type without its package: `ObjectMeta`. */
export function typeNameOf(schema: FieldSchema | undefined): string | undefined {
  const name = schema?.typeName;
  return name?.slice(name.lastIndexOf(".") + 1);
}
