import {
  apiVersionOf,
  draft,
  formatJson,
  type GenericObject,
  isRecord,
  kindOf,
  parseJson,
  type Random,
  randomUuid,
  toError,
} from "@keelson/core";
import type { WebhookConversion } from "@keelson/core/kinds/apiextensions/v1";
import { labelsProblems } from "../resource/label-problems.ts";
import type { MutableObject } from "../resource/mutable-object.ts";
import { responseProblem } from "../resource/response-problem.ts";
import type { WebhookCaller, WebhookResponse } from "../resource/webhook-caller.ts";
import { ApiError } from "../status/api-error.ts";
import { formatProblem } from "../status/field-problem.ts";

export interface ConversionTools {
  readonly callWebhook: WebhookCaller;
  readonly random: Random;
}

/** How long a webhook may take to convert. */
const timeoutSeconds = 30;

/** A conversion is never cancelled. */
const never = new AbortController().signal;

/** Converts objects to another version with the conversion webhook of their definition. */
export function webhookConverter(
  webhook: WebhookConversion,
  group: string,
  { callWebhook, random }: ConversionTools,
): (objects: readonly GenericObject[], toVersion: string) => Promise<readonly MutableObject[]> {
  return async (objects, toVersion) => {
    const desiredAPIVersion = apiVersionOf({ group, version: toVersion });
    const asked = objects.filter(({ apiVersion }) => apiVersion !== desiredAPIVersion);
    const [first] = asked;
    if (first === undefined) return objects.map((object) => draft(object));
    const uid = randomUuid(random);
    const version = webhook.conversionReviewVersions.find((one) => one === "v1" || one === "v1beta1") ?? "v1";
    const apiVersion = `apiextensions.k8s.io/${version}`;
    const review = {
      kind: "ConversionReview",
      apiVersion,
      request: { uid, desiredAPIVersion, objects: asked },
      response: { uid: "", convertedObjects: null, result: { metadata: {} } },
    };
    const { clientConfig = {} } = webhook;
    const answer = await callWebhook({
      clientConfig,
      body: formatJson(review),
      timeoutSeconds,
      signal: never,
    })
      .then((response) => convertedObjects(response, apiVersion, uid))
      .catch((error: unknown) => {
        throw conversionError(`conversion webhook for ${nameOf(first)} failed: ${toError(error).message}`);
      });
    if (answer.length !== asked.length) {
      throw conversionError(
        `conversion webhook for ${nameOf(first)} returned ${answer.length} objects, expected ${asked.length}`,
      );
    }
    let next = 0;
    return objects.map((object) => {
      if (object.apiVersion === desiredAPIVersion) return draft(object);
      const converted = checkedConversion(object, answer[next++], { group, version: toVersion });
      if (typeof converted !== "string") return converted;
      throw conversionError(`conversion webhook for ${nameOf(object)} returned ${converted}`);
    });
  };
}

/** Throws an error that describes the problem of the response. */
function convertedObjects(response: WebhookResponse, apiVersion: string, uid: string): readonly unknown[] {
  const problem = responseProblem(response);
  if (problem !== undefined) throw new Error(problem);
  const review: unknown = parseJson(response.body);
  const isReview = isRecord(review) && review.kind === "ConversionReview" && review.apiVersion === apiVersion;
  if (!isReview) {
    const [group, version] = apiVersion.split("/");
    const { apiVersion: gotVersion = "", kind = "" } = isRecord(review) ? review : {};
    const got = `${String(gotVersion)}, Kind=${String(kind)}`;
    throw new Error(`expected webhook response of ${group}/${version}, Kind=ConversionReview, got ${got}`);
  }
  const { response: conversion } = review;
  if (!isRecord(conversion)) throw new Error("no response provided");
  if (conversion.uid !== uid && apiVersion.endsWith("/v1")) {
    throw new Error(
      `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(conversion.uid ?? "")}`,
    );
  }
  const result = isRecord(conversion.result) ? conversion.result : {};
  if (result.status !== "Success") {
    const { message = "" } = result;
    if (typeof message === "string" && message !== "") throw new Error(message);
    throw new Error(`response.result.status was '${String(result.status ?? "")}', not 'Success'`);
  }
  return Array.isArray(conversion.convertedObjects) ? conversion.convertedObjects : [];
}

function nameOf(object: GenericObject): string {
  const { group, version, kind } = kindOf(object);
  return `${group}/${version}, Kind=${kind}`;
}

function conversionError(message: string): ApiError {
  return new ApiError({ httpCode: 500, message });
}

/**
 * What a webhook made of an object, with the metadata of the original but for labels and annotations, which alone it
 * may change; or what is wrong with it.
 */
function checkedConversion(
  original: GenericObject,
  converted: unknown,
  wanted: { readonly group: string; readonly version: string },
): MutableObject | string {
  if (!isRecord(converted)) return "invalid object at index 0: Object 'Kind' is missing in 'null'";
  const { apiVersion, kind, metadata } = converted;
  if (apiVersion !== apiVersionOf(wanted)) {
    return `invalid object at index 0: invalid groupVersion (expected ${apiVersionOf(wanted)}, received ${String(apiVersion)})`;
  }
  if (kind !== original.kind) {
    return `invalid object at index 0: invalid kind (expected ${kindOf(original).kind}, received ${String(kind)})`;
  }
  if (metadata === undefined) return "invalid metadata: missing metadata in converted object";
  if (!isRecord(metadata)) {
    return `invalid metadata: invalid metadata of type ${goType(metadata)} in converted object`;
  }
  const changed = identityProblem(original, metadata);
  if (changed !== undefined) return `invalid object: ${changed}`;
  const kept = draft(original.metadata);
  for (const field of ["labels", "annotations"] as const) {
    const texts = metadata[field] ?? undefined;
    if (texts === undefined) {
      delete kept[field];
      continue;
    }
    const problem = textsProblem(field, texts);
    if (problem !== undefined) return `invalid metadata: ${problem}`;
    Object.assign(kept, { [field]: texts });
  }
  return { ...converted, apiVersion, kind: original.kind, metadata: kept };
}

const identity = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["uid", "UID"],
] as const;

function identityProblem(
  { metadata }: GenericObject,
  converted: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const [field, name] of identity) {
    const [before, after] = [metadata[field] ?? "", converted[field] ?? ""];
    if (before !== after) return `must have the same ${name}: ${before} != ${String(after)}`;
  }
  return undefined;
}

function textsProblem(field: "labels" | "annotations", texts: unknown): string | undefined {
  if (!isRecord(texts)) return `invalid metadata.${field} of type ${goType(texts)} in converted object`;
  const labels: Record<string, string> = {};
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value !== "string") {
      return `metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`;
    }
    labels[key] = value;
  }
  const [problem] = field === "labels" ? labelsProblems(labels, "metadata.labels") : [];
  return problem && formatProblem(problem);
}

function goType(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "bigint") return "int64";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}
