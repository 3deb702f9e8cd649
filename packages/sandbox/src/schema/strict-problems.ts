import type { FieldSchema } from "./field-schema.ts";
import type { JsonNode } from "./json-document.ts";
import { additionalSchema } from "./schema-of-field.ts";

/**
 * What strict decoding of a built-in kind reports, in the order of the text: fields that its type does not have, once
 * each, and fields given twice. Neither looks inside of what is unknown.
 */
export function strictProblems(document: JsonNode, schema: FieldSchema): readonly string[] {
  const problems: string[] = [];
  visit(document, schema, "", problems);
  return problems;
}

/** Fields given twice, anywhere: what is reported for kinds without types. */
export function duplicateFields(document: JsonNode): readonly string[] {
  return strictProblems(document, anything);
}

const anything: FieldSchema = { "x-kubernetes-preserve-unknown-fields": true };

function visit(node: JsonNode, schema: FieldSchema, path: string, problems: string[]): void {
  if (node.kind === "array") {
    for (const [index, item] of node.items.entries())
      visit(item, schema.items ?? anything, `${path}[${index}]`, problems);
    return;
  }
  if (node.kind !== "object") return;
  const forms = schema.oneOf?.find(({ type }) => type === "object") ?? schema;
  const seen = new Set<string>();
  for (const { name, node: field } of node.entries) {
    const fieldPath = path === "" ? name : `${path}.${name}`;
    const isRepeated = seen.has(name);
    seen.add(name);
    const fieldSchema = fieldSchemaOf(forms, name);
    if (fieldSchema === undefined) {
      if (!isRepeated) problems.push(`unknown field ${JSON.stringify(fieldPath)}`);
      continue;
    }
    if (isRepeated) problems.push(`duplicate field ${JSON.stringify(fieldPath)}`);
    visit(field, fieldSchema, fieldPath, problems);
  }
}

function fieldSchemaOf(schema: FieldSchema, name: string): FieldSchema | undefined {
  const { properties } = schema;
  if (properties !== undefined) return Object.hasOwn(properties, name) ? properties[name] : undefined;
  return additionalSchema(schema) ?? anything;
}
