import { type Decoded, decodeBuiltin } from "./decode.ts";
import { DecodeError } from "./decode-error.ts";
import type { FieldSchema } from "./field-schema.ts";
import { goKind } from "./go-type.ts";
import { parseDocument } from "./json-document.ts";
import { isJsonObject, type JsonObject } from "./json-kind.ts";
import type { ParsedJson } from "./parse-json.ts";
import { pruneUnknownFields } from "./prune.ts";
import { additionalSchema } from "./schema-of-field.ts";
import { duplicateFields } from "./strict-problems.ts";

export interface CustomDecoding {
  readonly schema: FieldSchema;
  /** The schema of `metadata`, which is typed in custom resources too. */
  readonly objectMeta: FieldSchema;
  /** Whether what the schema does not name is taken out. */
  readonly prunesUnknownFields: boolean;
}

/**
 * Brings a custom resource into the form in which the server keeps it, in place: unknown fields are gone, metadata is in
 * its usual form, also of embedded resources. Reports repeated fields first, then unknown ones. Throws DecodeError
 * where metadata does not fit. Neither nulls nor defaults are its business.
 */
export function decodeCustom(
  parsed: ParsedJson | { readonly value: unknown },
  { schema, objectMeta, prunesUnknownFields }: CustomDecoding,
): Decoded {
  const object = isJsonObject(parsed.value) ? parsed.value : {};
  const hasDuplicates = "hasDuplicates" in parsed && parsed.hasDuplicates;
  const repeated = hasDuplicates ? duplicateFields(parseDocument(parsed.text)) : [];
  const ofMetadata = decodeMetadata(object, objectMeta, "");
  const pruned = prunesUnknownFields ? pruneUnknownFields(object, schema) : [];
  const ofEmbedded: string[] = [];
  decodeEmbedded(object, schema, { objectMeta, path: "", unknown: ofEmbedded });
  const unknown = [...ofMetadata, ...pruned, ...ofEmbedded.sort()];
  return {
    object,
    strictProblems: [...repeated, ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`)],
  };
}

interface Embedded {
  readonly objectMeta: FieldSchema;
  readonly path: string;
  readonly unknown: string[];
}

function decodeEmbedded(value: unknown, schema: FieldSchema | undefined, context: Embedded): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      decodeEmbedded(item, schema.items, { ...context, path: `${context.path}[${index}]` });
    return;
  }
  if (!isJsonObject(value)) return;
  if (schema["x-kubernetes-embedded-resource"] === true && context.path !== "")
    context.unknown.push(...decodeResource(value, context));
  for (const [name, inner] of Object.entries(value)) {
    const isProperty = Object.hasOwn(schema.properties ?? {}, name);
    const field = isProperty ? schema.properties?.[name] : additionalSchema(schema);
    const path = context.path === "" ? name : `${context.path}.${name}`;
    decodeEmbedded(inner, field, { ...context, path });
  }
}

function decodeResource(resource: JsonObject, { objectMeta, path }: Embedded): readonly string[] {
  for (const name of ["apiVersion", "kind"])
    if (resource[name] !== undefined && typeof resource[name] !== "string")
      throw new DecodeError(
        `${path}.${name}: Invalid value: ${JSON.stringify(resource[name])}: must be a string`,
      );
  return decodeMetadata(resource, objectMeta, path);
}

/** Gives the paths of unknown fields of metadata. */
function decodeMetadata(resource: JsonObject, objectMeta: FieldSchema, path: string): readonly string[] {
  const { metadata } = resource;
  if (metadata === undefined) return [];
  const field = path === "" ? "metadata" : `${path}.metadata`;
  if (metadata === null) {
    delete resource.metadata;
    return [];
  }
  try {
    if (!isJsonObject(metadata))
      throw new DecodeError(`json: cannot unmarshal ${goKind(metadata)} into Go value of type v1.ObjectMeta`);
    const { strictProblems } = decodeBuiltin({ value: metadata }, objectMeta);
    return strictProblems.map((problem) => `${field}.${JSON.parse(problem.slice("unknown field ".length))}`);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(`${field}: Invalid value: ${JSON.stringify(metadata)}: ${error.message}`, {
      cause: error,
    });
  }
}
