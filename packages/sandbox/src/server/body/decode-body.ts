import { apiVersionOf, isRecord, parseApiVersion } from "@keelson/core";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { ResourceRegistry } from "../../resource/resource-registry.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import { DecodeError, decodeBuiltin, duplicateFields } from "../../schema/decode.ts";
import { type FieldSchema, goKind } from "../../schema/field-schema.ts";
import { parseDocument } from "../../schema/json-document.ts";
import type { ParsedJson } from "../../schema/parse-json.ts";
import { type ApiError, badRequest, invalid } from "../../status/api-error.ts";
import { invalidValue } from "../../status/field-problem.ts";
import { decodeValue } from "./decode-value.ts";
import { bodyFormat, bodySummary, bodyText, parseBody, typeMeta, UnreadableBodyError } from "./parse-body.ts";
import { yamlWarnings } from "./parse-yaml.ts";
import { otherKindProblem, versionProblem } from "./registered-kind.ts";

/** The kind of object that a body must contain. */
export interface ExpectedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly isCustom: boolean;
  readonly schema: FieldSchema;
}

interface BodyRequest {
  readonly registry: ResourceRegistry;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
  readonly fieldValidation: "Strict" | "Warn" | "Ignore";
  warn(text: string): void;
}

/** Decodes an object of a served kind. Throws ApiError with the server's message if the body is not one. */
export function decodeObjectBody(resource: ServedResource, request: BodyRequest): MutableObject {
  const parsed = parseTyped(resource, request);
  const given = parsed.value;
  const json = isRecord(given) ? given : {};
  if (resource.isCustom) checkCustomType(resource, json, request);
  else setBuiltinType(resource, json, request.registry);
  const { object, problems } = decoded(resource, { ...parsed, value: json });
  reportProblems(resource, [...yamlProblems(parsed), ...problems], request);
  return object;
}

/** Decodes an object of a kind that is not stored, such as an Eviction or a TokenReview. */
export function decodePlainBody(
  expected: ExpectedKind,
  request: BodyRequest,
): Readonly<Record<string, unknown>> {
  const parsed = parseTyped(expected, request);
  const json = isRecord(parsed.value) ? parsed.value : {};
  setBuiltinType(expected, json, request.registry);
  try {
    const { object, strictProblems } = decodeBuiltin({ ...parsed, value: json }, expected.schema);
    reportProblems(expected, [...yamlProblems(parsed), ...strictProblems], request);
    return object;
  } catch (error) {
    throw asRefusal(expected, error);
  }
}

type Named = Pick<ExpectedKind, "group" | "version" | "kind">;

/** Parses a body and checks its apiVersion and kind before any other field. */
function parseTyped(expected: Named, { contentType, body }: BodyRequest): ParsedJson {
  const format = bodyFormat(contentType, "isCustom" in expected && expected.isCustom === true);
  const unrecognized = (why: string): ApiError =>
    badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${bodySummary(body)})`,
    );
  let parsed: ParsedJson;
  try {
    parsed = parseBody(body, format);
  } catch (error) {
    if (!(error instanceof UnreadableBodyError)) throw error;
    throw unrecognized(format === "json" ? `${parseProblem}${error.message}` : error.message);
  }
  const { value } = parsed;
  if (value !== null && !isRecord(value)) {
    throw unrecognized(
      `${parseProblem}json: cannot unmarshal ${goKind(value)} into Go value of type ${typeMeta}`,
    );
  }
  for (const field of ["apiVersion", "kind"]) {
    const found = value?.[field] ?? "";
    if (typeof found !== "string") {
      const problem = `json: cannot unmarshal ${goKind(found)} into Go struct field .${field} of type string`;
      throw unrecognized(`${parseProblem}${problem}`);
    }
  }
  const problem = versionProblem(String(value?.apiVersion ?? ""));
  if (problem !== undefined) throw unrecognized(problem);
  return parsed;
}

const metadataProblem = 'unknown field "metadata.';
const parseProblem = "couldn't get version/kind; json parse error: ";

/** The defaults of apiVersion and kind are those of the path. */
function setBuiltinType(expected: Named, json: Record<string, unknown>, registry: ResourceRegistry): void {
  const expectedVersion = apiVersionOf(expected);
  const kind = textOr(json.kind, expected.kind);
  const apiVersion = textOr(json.apiVersion, expectedVersion);
  json.kind = kind;
  json.apiVersion = apiVersion;
  if (kind === expected.kind && apiVersion === expectedVersion) return;
  const { group, version } = parseApiVersion(apiVersion);
  const isOtherVersion = kind === expected.kind && group === expected.group;
  if (isOtherVersion && registry.findKind(group, version, kind) !== undefined) {
    throw otherVersion(apiVersion, expectedVersion);
  }
  const why = otherKindProblem(registry, { apiVersion, kind }, json, expected);
  throw cannotBeHandled({ group, version, kind }, expected, why);
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

function checkCustomType(
  resource: ServedResource,
  json: Readonly<Record<string, unknown>>,
  { body }: BodyRequest,
): void {
  const { kind = "", apiVersion = "" } = json;
  if (kind === "") {
    const why = `Object 'Kind' is missing in '${bodyText(body).trim()}'`;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): ${why} (${bodySummary(body)})`,
    );
  }
  const expected = apiVersionOf(resource);
  if (apiVersion !== expected) throw otherVersion(String(apiVersion), expected);
  if (kind === resource.kind) return;
  const name = isRecord(json.metadata) ? (json.metadata.name ?? "") : "";
  const problem = invalidValue("kind", kind, `must be ${resource.kind}`);
  throw invalid({ group: resource.group, kind: String(kind) }, String(name), [problem]);
}

function otherVersion(found: string, expected: string): ApiError {
  return badRequest(
    `the API version in the data (${found}) does not match the expected API version (${expected})`,
  );
}

function decoded(
  resource: ServedResource,
  parsed: ParsedJson & { readonly value: Record<string, unknown> },
): { readonly object: MutableObject; readonly problems: readonly string[] } {
  try {
    if (!resource.isCustom) return decodedBuiltin(resource, parsed);
    // Duplicate fields are visible in the text only.
    const twice = parsed.hasDuplicates ? duplicateFields(parseDocument(parsed.text)) : [];
    const { object, strictProblems } = decodeValue(resource, parsed.value);
    const ofMetadata = strictProblems.filter((one) => one.startsWith(metadataProblem));
    const ofRest = strictProblems.filter((one) => !one.startsWith(metadataProblem));
    return { object, problems: [...twice, ...ofMetadata, ...ofRest] };
  } catch (error) {
    throw asRefusal(resource, error);
  }
}

function decodedBuiltin(
  { schema }: ServedResource,
  parsed: ParsedJson & { readonly value: Record<string, unknown> },
): { readonly object: MutableObject; readonly problems: readonly string[] } {
  const { value } = parsed;
  const given = isRecord(value.metadata) ? value.metadata.managedFields : undefined;
  const { strictProblems } = decodeBuiltin(parsed, schema);
  value.metadata ??= {};
  // Decoding drops empty lists; but an empty list of managed fields means that no manager owns a field.
  if (Array.isArray(given) && given.length === 0) {
    Reflect.set(Object(value.metadata), "managedFields", given);
  }
  return { object: asObject(value), problems: strictProblems };
}

/** A decoded object has metadata, and its apiVersion and kind are strings. */
function asObject(json: Record<string, unknown>): MutableObject {
  return json as MutableObject;
}

function reportProblems(
  expected: Named,
  problems: readonly string[],
  { fieldValidation, warn }: BodyRequest,
): void {
  if (problems.length === 0 || fieldValidation === "Ignore") return;
  if (fieldValidation === "Strict") {
    throw cannotBeHandled(expected, expected, `strict decoding error: ${problems.join(", ")}`);
  }
  for (const problem of problems.flatMap(yamlWarnings)) warn(problem);
}

function yamlProblems({ yamlProblem }: ParsedJson): readonly string[] {
  return yamlProblem === undefined ? [] : [yamlProblem];
}

function asRefusal(expected: Named, error: unknown): unknown {
  return error instanceof DecodeError ? cannotBeHandled(expected, expected, error.message) : error;
}

function cannotBeHandled(found: Named, expected: Named, why: string): ApiError {
  const { version, kind } = found;
  return badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${expected.kind}: ${why}`,
  );
}
