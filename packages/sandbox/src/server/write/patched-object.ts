import { apiVersionOf } from "@keelson/core";
import { unknownJsonPatchFields } from "../../patch/decode-patch.ts";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { ResourceRegistry } from "../../resource/resource-registry.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import { DecodeError } from "../../schema/decode.ts";
import { goKind } from "../../schema/field-schema.ts";
import type { JsonObject } from "../../schema/json-document.ts";
import { type ApiError, internalError, invalid } from "../../status/api-error.ts";
import { invalidValue } from "../../status/field-problem.ts";
import { type DecodedKind, type DecodedValue, decodeValue } from "../body/decode-value.ts";
import type { Patch } from "../body/patch-body.ts";
import { otherKindProblem, versionProblem } from "../body/registered-kind.ts";
import type { WriteOptions } from "../options/write-options.ts";
import { patchedText } from "./patched-text.ts";

export type PlainPatch = Exclude<Patch, { readonly type: "apply" }>;

export type PatchedKind = DecodedKind & Pick<ServedResource, "group" | "version" | "kind">;

/** An object that a patch was applied to. */
export interface Patched {
  readonly resource: PatchedKind;
  readonly registry: ResourceRegistry;
  readonly patch: PlainPatch;
  readonly options: WriteOptions;
  /** Applies the patch to the current object; returns a new copy each time. */
  apply(): JsonObject;
}

/**
 * Decodes the result of a patch as an object of the kind, without unknown fields; the field validation of the request
 * decides whether these are an error or a warning. Throws ApiError if the result does not fit the kind.
 */
export function decodePatched(patched: Patched): MutableObject {
  const { resource, patch, options } = patched;
  const json = patched.apply();
  if (patch.type === "strategic") setType(resource, json);
  else checkType(patched, json);
  const problems = patch.type === "json" ? unknownJsonPatchFields(patch.operations) : [];
  const decoded = decode(patched, json);
  const repeated = patch.repeated ?? [];
  reportStrictProblems(patched, [...repeated, ...problems, ...decoded.strictProblems], options);
  return decoded.object;
}

function decode(patched: Patched, json: JsonObject): DecodedValue {
  try {
    return decodeValue(patched.resource, json);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const isStrategic = patched.patch.type === "strategic";
    throw invalidPatch(patched, isStrategic ? conversionProblem(error.message) : error.message);
  }
}

function reportStrictProblems(
  patched: Patched,
  problems: readonly string[],
  { fieldValidation, warn }: WriteOptions,
): void {
  if (problems.length === 0 || fieldValidation === "Ignore") return;
  if (fieldValidation === "Strict") {
    throw invalidPatch(patched, `strict decoding error: ${problems.join(", ")}`);
  }
  for (const problem of problems) warn(problem);
}

/** Strategic merge patches cannot change apiVersion and kind. */
function setType(resource: PatchedKind, json: JsonObject): void {
  if (json.kind === undefined || typeof json.kind === "string") json.kind = resource.kind;
  if (json.apiVersion === undefined || typeof json.apiVersion === "string") {
    json.apiVersion = apiVersionOf(resource);
  }
}

function checkType(patched: Patched, json: JsonObject): void {
  const { resource } = patched;
  for (const field of ["apiVersion", "kind"]) {
    const value = json[field] ?? "";
    if (typeof value !== "string") {
      const found = `json: cannot unmarshal ${goKind(value)} into Go struct field .${field} of type string`;
      throw invalidPatch(patched, `couldn't get version/kind; json parse error: ${found}`);
    }
  }
  if (resource.isCustom) checkCustomType(patched, json);
  else checkBuiltinType(patched, json);
}

/** Validation finds that the object is of another kind. */
function checkCustomType(patched: Patched, { kind, apiVersion }: JsonObject): void {
  if (kind === undefined || kind === "") {
    throw invalidPatch(patched, `Object 'Kind' is missing in '${patchedText(patched)}'`);
  }
  if (apiVersion === undefined || apiVersion === "") {
    throw internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  }
}

function checkBuiltinType(patched: Patched, json: JsonObject): void {
  const { resource, registry } = patched;
  const { kind = resource.kind, apiVersion = apiVersionOf(resource) } = json;
  if (kind !== resource.kind || apiVersion !== apiVersionOf(resource)) {
    const claimed = { apiVersion: String(apiVersion), kind: String(kind) };
    const why = versionProblem(claimed.apiVersion) ?? otherKindProblem(registry, claimed, json, resource);
    throw invalidPatch(patched, why);
  }
  json.kind = kind;
  json.apiVersion = apiVersion;
}

function invalidPatch(patched: Patched, detail: string): ApiError {
  return invalid({ group: "", kind: "" }, "", [invalidValue("patch", patchedText(patched), detail)]);
}

/** The server decodes the result of a strategic merge patch value by value, with other messages. */
function conversionProblem(message: string): string {
  const [, found = "", target = ""] = /cannot unmarshal (\w+).* of type (\S+)$/.exec(message) ?? [];
  if (found === "") return message;
  const type = found === "number" ? "int64" : (goTypes[found] ?? found);
  if (target.startsWith("map[")) return `cannot restore map from ${type}`;
  if (target.startsWith("[]")) return `cannot restore slice from ${type}`;
  if (target.includes(".")) return `cannot restore struct from: ${type}`;
  // Go could convert a number to a string, and reports that it must not; other conversions are unknown to it.
  const isKnown = found === "number" && target !== "bool";
  return isKnown ? `cannot convert ${type} to ${target}` : `unrecognized type: ${target}`;
}

const goTypes: Readonly<Record<string, string>> = { object: "map", array: "slice" };
