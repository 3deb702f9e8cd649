import { isRecord } from "@keelson/core";
import { builtinSchema } from "../../builtin/builtin-schemas.ts";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import { pruneUnknownFields } from "../../schema/custom-form.ts";
import { DecodeError, decodeBuiltin } from "../../schema/decode.ts";
import { type FieldSchema, goKind } from "../../schema/field-schema.ts";
import type { JsonObject } from "../../schema/json-document.ts";

/** The part of a kind that decoding needs. */
export type DecodedKind = Pick<ServedResource, "schema" | "isCustom" | "prunesUnknownFields">;

export interface DecodedValue {
  readonly object: MutableObject;
  /** `unknown field "spec.foo"` */
  readonly strictProblems: readonly string[];
}

/**
 * Decodes a value in place: fields that the kind does not have are removed. Throws DecodeError if a value does not fit its
 * type; of custom kinds only the metadata is checked, because validation checks the rest.
 */
export function decodeValue(resource: DecodedKind, json: JsonObject): DecodedValue {
  const managedFields = isRecord(json.metadata) ? json.metadata.managedFields : undefined;
  const { strictProblems } = resource.isCustom
    ? decodeCustom(resource, json)
    : decodeBuiltin({ value: json }, resource.schema);
  json.apiVersion ??= "";
  json.kind ??= "";
  if (!isRecord(json.metadata)) json.metadata = {};
  // Decoding drops empty lists; but an empty list of managed fields means that no manager owns a field.
  if (Array.isArray(managedFields) && managedFields.length === 0) {
    Reflect.set(Object(json.metadata), "managedFields", managedFields);
  }
  return { object: asObject(json), strictProblems };
}

function decodeCustom(
  { schema, prunesUnknownFields }: DecodedKind,
  json: JsonObject,
): Pick<DecodedValue, "strictProblems"> {
  checkText("apiVersion", json);
  checkText("kind", json);
  const metadata = json.metadata ?? {};
  if (!isRecord(metadata)) {
    throw new DecodeError(`json: cannot unmarshal ${goKind(metadata)} into Go value of type v1.ObjectMeta`);
  }
  const decoded = decodeBuiltin({ value: metadata }, metadataSchema());
  const unknown = prunesUnknownFields ? pruneUnknownFields(json, schema) : [];
  const ofMetadata = decoded.strictProblems.map((problem) => problem.replace(' "', ' "metadata.'));
  const ofRest = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  return { strictProblems: [...ofMetadata, ...ofRest].sort() };
}

function checkText(field: string, { [field]: value }: JsonObject): void {
  if (typeof value === "string") return;
  throw new DecodeError(
    `json: cannot unmarshal ${goKind(value)} into Go struct field .${field} of type string`,
  );
}

let objectMeta: FieldSchema | undefined;

/** Custom resources have the same metadata as built-in ones. */
function metadataSchema(): FieldSchema {
  objectMeta ??= builtinSchema("", "v1", "ConfigMap")?.properties?.metadata ?? {};
  return objectMeta;
}

/** A decoded object has metadata, and its apiVersion and kind are strings. */
function asObject(json: JsonObject): MutableObject {
  return json as MutableObject;
}
