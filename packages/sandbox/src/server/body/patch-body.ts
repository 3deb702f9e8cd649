import { apiVersionOf, isRecord, type JsonPatchOperation } from "@keelson/core";
import { decodeJsonPatch, decodeObjectPatch } from "../../patch/decode-patch.ts";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import { duplicateFields } from "../../schema/decode.ts";
import { goKind } from "../../schema/field-schema.ts";
import { parseDocument } from "../../schema/json-document.ts";
import type { ParsedJson } from "../../schema/parse-json.ts";
import { badRequest } from "../../status/api-error.ts";
import { unsupportedMediaType, unsupportedPatch } from "../../status/request-errors.ts";
import { mediaTypeOf, parseBody, UnreadableBodyError } from "./parse-body.ts";

export type Patch = (
  | { readonly type: "json"; readonly operations: readonly JsonPatchOperation[] }
  | { readonly type: "merge"; readonly patch: Readonly<Record<string, unknown>> }
  | { readonly type: "strategic"; readonly patch: Readonly<Record<string, unknown>> }
  | { readonly type: "apply"; readonly configuration: MutableObject; readonly force: boolean }
) & {
  /** The duplicate fields of its text, in the messages of field validation. */
  readonly repeated?: readonly string[];
};

type PatchType = Patch["type"];

const types: ReadonlyMap<string, PatchType> = new Map([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
  ["application/apply-patch+yaml", "apply"],
]);

/** The type of a patch by its media type. Throws ApiError if the kind does not support it. */
export function patchType(contentType: string | undefined, isCustom: boolean): PatchType {
  const type = types.get(mediaTypeOf(contentType));
  if (type !== undefined && !(isCustom && type === "strategic")) return type;
  if (!isCustom) throw unsupportedPatch();
  throw unsupportedMediaType([...types.keys()].filter((one) => types.get(one) !== "strategic"));
}

/** Decodes the body of a patch. Throws ApiError if it is not a patch of the type. */
export function decodePatch(
  resource: Pick<ServedResource, "group" | "version" | "kind">,
  type: PatchType,
  body: Uint8Array,
  force: boolean,
): Patch {
  if (type === "apply") return { type, ...applied(resource, body), force };
  const parsed = parsePatch(body, type);
  const repeated = repeatedFields(parsed, type);
  if (type === "json") return { type, operations: decodeJsonPatch(parsed.value), ...repeated };
  return { type, patch: decodeObjectPatch(parsed.value, type), ...repeated };
}

function repeatedFields({ text, hasDuplicates }: ParsedJson, type: PatchType): Pick<Patch, "repeated"> {
  if (!hasDuplicates) return {};
  const found = duplicateFields(parseDocument(text));
  return { repeated: type === "json" ? found.map((problem) => `json patch ${problem}`) : found };
}

function parsePatch(body: Uint8Array, type: PatchType): ParsedJson {
  try {
    return parseBody(body, "json");
  } catch (error) {
    if (!(error instanceof UnreadableBodyError)) throw error;
    throw badRequest(type === "strategic" ? error.message : `error decoding patch: ${error.message}`);
  }
}

function applied(
  resource: Pick<ServedResource, "group" | "version" | "kind">,
  body: Uint8Array,
): { readonly configuration: MutableObject } & Pick<Patch, "repeated"> {
  let parsed: ParsedJson;
  try {
    parsed = parseBody(body, "yaml");
  } catch (error) {
    if (!(error instanceof UnreadableBodyError)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
  const { value, yamlProblem } = parsed;
  const json = value ?? {};
  if (!isRecord(json)) {
    const problem = `json: cannot unmarshal ${goKind(json)} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${problem}`);
  }
  const { apiVersion = "", kind = "" } = json;
  if (kind !== resource.kind || apiVersion !== apiVersionOf(resource)) {
    const version = String(apiVersion);
    const shown = version.includes("/") ? version : `/${version}`;
    throw badRequest(`invalid object type: ${shown}, Kind=${kind}`);
  }
  const metadata = json.metadata ?? {};
  if (!isRecord(metadata)) {
    throw badRequest(
      `error decoding YAML: .metadata accessor error: ${goKind(metadata)} is of the wrong type`,
    );
  }
  return {
    configuration: asConfiguration({ ...json, metadata }),
    ...(yamlProblem !== undefined && { repeated: [yamlProblem] }),
  };
}

/** The type and the metadata were checked; server-side apply checks the rest. */
function asConfiguration(json: Record<string, unknown>): MutableObject {
  return json as MutableObject;
}
