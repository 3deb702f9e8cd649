import type { FieldSchema } from "./field-schema.ts";
import { isJsonObject } from "./json-kind.ts";
import { schemaOfField } from "./schema-of-field.ts";

/**
 * Takes out of a custom resource, in place, all that its schema does not name, and gives the paths of what was there,
 * sorted. `apiVersion`, `kind` and `metadata` stay, of the object and of resources embedded in it.
 */
export function pruneUnknownFields(object: unknown, schema: FieldSchema): readonly string[] {
  const unknown: string[] = [];
  prune(object, { ...schema, "x-kubernetes-embedded-resource": true }, "", unknown);
  return unknown.sort();
}

const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

function prune(value: unknown, schema: FieldSchema | undefined, path: string, unknown: string[]): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      prune(item, itemSchema(schema), `${path}[${index}]`, unknown);
    return;
  }
  if (!isJsonObject(value)) return;
  const isOpen = schema?.["x-kubernetes-preserve-unknown-fields"] === true;
  const isResource = schema?.["x-kubernetes-embedded-resource"] === true;
  for (const name of Object.keys(value)) {
    if (isResource && metaFields.has(name)) continue;
    const field = schemaOfField(schema, name);
    const fieldPath = path === "" ? name : `${path}.${name}`;
    if (field !== undefined) prune(value[name], field, fieldPath, unknown);
    else if (!isOpen) {
      unknown.push(fieldPath);
      delete value[name];
    }
  }
}

/** In a list that keeps everything, each item does. */
function itemSchema(schema: FieldSchema | undefined): FieldSchema | undefined {
  if (schema?.["x-kubernetes-preserve-unknown-fields"] !== true) return schema?.items;
  return { ...schema.items, "x-kubernetes-preserve-unknown-fields": true };
}
