import { apiVersionOf, draft, isRecord, toError } from "@keelson/core";
import { decodeJsonPatch } from "../patch/decode-patch.ts";
import type { MutableObject } from "../resource/mutable-object.ts";
import type { ServedResource } from "../resource/served-resource.ts";
import { applySchemaDefaults, pruneUnknownFields } from "../schema/custom-form.ts";
import { DecodeError, decodeBuiltin } from "../schema/decode.ts";
import { goKind } from "../schema/field-schema.ts";
import type { JsonObject } from "../schema/json-document.ts";
import { parseJson } from "../schema/parse-json.ts";
import { ApiError, internalError } from "../status/api-error.ts";
import { applyWebhookPatch } from "./patch-problem.ts";
import type { ReviewResponse } from "./review-response.ts";
import { callFailure, WebhookCallError } from "./webhook-failure.ts";

/**
 * The object with the patch of a webhook, decoded and defaulted again; undefined if the webhook changes nothing. Throws
 * ApiError, or WebhookCallError if the patch cannot be decoded.
 */
export function patchedObject(
  webhook: string,
  { patch, patchType }: ReviewResponse,
  object: MutableObject | undefined,
  resource: ServedResource,
): MutableObject | undefined {
  if (patch === undefined) return undefined;
  const operations = decodeOperations(webhook, patch);
  if (operations.length === 0) return undefined;
  if (object === undefined) {
    const what = `admission webhook ${JSON.stringify(webhook)} attempted to modify the object`;
    throw internalError(`${what}, which is not supported for this operation`);
  }
  if (patchType !== "JSONPatch") {
    throw new WebhookCallError(callFailure(webhook, `unsupported patch type ${JSON.stringify(patchType)}`));
  }
  return inForm(resource, applyWebhookPatch(draft(object), operations), object);
}

function decodeOperations(webhook: string, patch: string): ReturnType<typeof decodeJsonPatch> {
  const undecodable = "received undecodable patch in webhook response";
  let body: unknown;
  try {
    body = parseJson(patch).value;
  } catch (error) {
    throw new WebhookCallError(callFailure(webhook, `${undecodable}: ${toError(error).message}`), {
      cause: error,
    });
  }
  if (body !== null && !Array.isArray(body)) {
    const why = `json: cannot unmarshal ${goKind(body)} into Go value of type jsonpatch.Patch`;
    throw new WebhookCallError(callFailure(webhook, `${undecodable}: ${why}`));
  }
  return decodeJsonPatch(body);
}

function inForm(resource: ServedResource, json: JsonObject, before: MutableObject): MutableObject {
  if (json.kind !== before.kind || json.apiVersion !== before.apiVersion) throw otherKind(resource, json);
  try {
    if (!resource.isCustom && hasSchema(resource, before)) decodeBuiltin({ value: json }, resource.schema);
    else if (resource.isCustom && resource.prunesUnknownFields) pruneUnknownFields(json, resource.schema);
  } catch (error) {
    if (error instanceof DecodeError) throw internalError(error.message);
    throw error;
  }
  if (!isRecord(json.metadata)) json.metadata = {};
  const object = asObject(json);
  if (hasSchema(resource, object)) {
    applySchemaDefaults(object, resource.schema);
    resource.strategy.setDefaults(object);
  }
  return object;
}

/** Subresources with a kind of their own, such as Scale, have another schema. */
function hasSchema(resource: ServedResource, { apiVersion, kind }: MutableObject): boolean {
  return kind === resource.kind && apiVersion === apiVersionOf(resource);
}

function otherKind({ group, kind }: ServedResource, json: JsonObject): ApiError {
  const version = String(json.apiVersion).split("/").at(-1);
  const internal = group === "" ? "core" : group.split(".")[0];
  const message = `converting (${version}.${json.kind}) to (${internal}.${kind}): unknown conversion`;
  return new ApiError({ httpCode: 500, message });
}

/** A decoded object has metadata, and its apiVersion and kind are strings. */
function asObject(json: JsonObject): MutableObject {
  return json as MutableObject;
}
