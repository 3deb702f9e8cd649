import type { JsonPatchOperation } from "@keelson/core";
import { goKind } from "../schema/field-schema.ts";
import { fieldOf, isJsonObject, type JsonObject } from "../schema/json-document.ts";
import { badRequest } from "../status/api-error.ts";

/** Checks the parsed body of a JSON patch. Throws ApiError with the message of Go's decoder if it is not a JSON patch. */
export function decodeJsonPatch(body: unknown): readonly JsonPatchOperation[] {
  if (body === null) return [];
  if (!Array.isArray(body)) throw doesNotFit(body, "Go value of type []handlers.jsonPatchOp");
  for (const operation of body) {
    if (operation === null) continue;
    if (!isJsonObject(operation)) throw doesNotFit(operation, "Go value of type handlers.jsonPatchOp");
    for (const field of ["op", "path", "from"]) {
      const value = fieldOf(operation, field) ?? "";
      if (typeof value !== "string")
        throw doesNotFit(value, `Go struct field jsonPatchOp.${field} of type string`);
    }
  }
  return body;
}

/** The unknown fields of a JSON patch, in the messages of field validation. */
export function unknownJsonPatchFields(operations: readonly unknown[]): readonly string[] {
  return operations.flatMap((operation, index) =>
    isJsonObject(operation)
      ? Object.keys(operation)
          .filter((field) => !knownFields.has(field))
          .map((field) => `json patch unknown field "[${index}].${field}"`)
      : [],
  );
}

const knownFields: ReadonlySet<string> = new Set(["op", "path", "from", "value"]);

/** Checks the parsed body of a merge patch or a strategic merge patch. Throws ApiError if it is not an object. */
export function decodeObjectPatch(body: unknown, type: "merge" | "strategic"): JsonObject {
  if (isJsonObject(body)) return body;
  if (body === null && type === "strategic") return {};
  if (body === null) throw badRequest("Invalid JSON Patch");
  const problem = `json: cannot unmarshal ${goKind(body)} into Go value of type map[string]interface {}`;
  throw badRequest(type === "merge" ? `error decoding patch: ${problem}` : problem);
}

function doesNotFit(value: unknown, target: string): Error {
  return badRequest(`error decoding patch: json: cannot unmarshal ${goKind(value)} into ${target}`);
}
