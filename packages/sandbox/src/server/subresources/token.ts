import { apiVersionOf, formatTime, type GenericObject, isRecord } from "@keelson/core";
import type { TokenIssueRequest } from "../../auth/service-account-tokens.ts";
import { builtinSchema } from "../../builtin/builtin-schemas.ts";
import { valueAt } from "../../resource/field-path.ts";
import type { FieldSchema } from "../../schema/field-schema.ts";
import { badRequest, conflict, invalid, notFound } from "../../status/api-error.ts";
import { invalidValue } from "../../status/field-problem.ts";
import { storeKey } from "../../store/store.ts";
import { decodePlainBody, type ExpectedKind } from "../body/decode-body.ts";
import { writeOptions } from "../options/write-options.ts";
import { type ApiRequest, nameOf } from "../request/api-request.ts";
import { type ApiResponse, valueResponse } from "../response/response.ts";
import type { ServerDependencies } from "../server-dependencies.ts";
import { managedFieldsOfRequest } from "./request-managed-fields.ts";

const open: FieldSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const text: FieldSchema = { type: "string" };

const tokenRequestKind: ExpectedKind = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenRequest",
  isCustom: false,
  schema: {
    type: "object",
    typeName: "v1.TokenRequest",
    properties: {
      apiVersion: text,
      kind: text,
      metadata: open,
      status: open,
      spec: {
        type: "object",
        typeName: "v1.TokenRequestSpec",
        properties: {
          audiences: { type: "array", items: text },
          expirationSeconds: { type: "integer", format: "int64", keepsEmpty: true },
          boundObjectRef: {
            type: "object",
            typeName: "v1.BoundObjectReference",
            properties: { kind: text, apiVersion: text, name: text, uid: text },
          },
        },
      },
    },
  },
};

const leastSeconds = 600;
const mostSeconds = 2 ** 32;
const defaultSeconds = 3600;

/** Issues a token for a ServiceAccount. */
export async function handleTokenRequest(
  dependencies: ServerDependencies,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { resource, namespace = "", headers } = request;
  const name = nameOf(request);
  const { fieldValidation, warn, manager } = writeOptions(request, "CreateOptions");
  const body = await request.body();
  const json = decodePlainBody(tokenRequestKind, {
    registry: dependencies.registry,
    contentType: headers["content-type"],
    body,
    fieldValidation,
    warn,
  });
  const account = dependencies.reads.store.get(resource.collection, storeKey(namespace, name));
  if (account === undefined) throw notFound(resource, name);
  const expirationSeconds = secondsOf(json);
  const boundObject = boundObjectOf(dependencies, namespace, valueAt(json, ".spec.boundObjectRef"));
  const given = valueAt(json, ".spec.audiences");
  const { token, expirationTimestamp, audiences } = dependencies.issueToken({
    namespace,
    serviceAccount: { name, uid: account.metadata.uid },
    audiences: Array.isArray(given) ? given.map(String) : [],
    expirationSeconds,
    ...(boundObject !== undefined && { boundObject }),
  });
  const reference = valueAt(json, ".spec.boundObjectRef") ?? null;
  const managedFields = managedFieldsOfRequest({
    object: { ...json, spec: { ...Object(json.spec), expirationSeconds } },
    schema: builtinSchema("authentication.k8s.io", "v1", "TokenRequest") ?? tokenRequestKind.schema,
    apiVersion: apiVersionOf(tokenRequestKind),
    kind: tokenRequestKind.kind,
    manager,
    subresource: "token",
    now: dependencies.clock.now(),
  });
  const response = {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: {
      ...metadataOf(account, formatTime(dependencies.clock.now())),
      ...Object(json.metadata),
      managedFields,
    },
    spec: { audiences, expirationSeconds, boundObjectRef: reference },
    status: { token, expirationTimestamp },
  };
  return valueResponse({ format: "json", isPretty: false }, response, 201);
}

function metadataOf({ metadata }: GenericObject, now: string): object {
  const { name, namespace, uid } = metadata;
  return { name, namespace, uid, creationTimestamp: now };
}

function secondsOf(json: object): number {
  const seconds = valueAt(json, ".spec.expirationSeconds") ?? defaultSeconds;
  if (typeof seconds === "number" && seconds >= leastSeconds && seconds <= mostSeconds) return seconds;
  const detail =
    Number(seconds) < leastSeconds
      ? "may not specify a duration less than 10 minutes"
      : "may not specify a duration larger than 2^32 seconds";
  const { group, kind } = tokenRequestKind;
  throw invalid({ group, kind }, "", [invalidValue("spec.expirationSeconds", seconds, detail)]);
}

const boundKinds: Readonly<Record<string, string>> = { Pod: "pods", Secret: "secrets", Node: "nodes" };

/** The object to which the token is bound. Throws ApiError if it does not exist. */
function boundObjectOf(
  { reads }: ServerDependencies,
  namespace: string,
  reference: unknown,
): TokenIssueRequest["boundObject"] {
  if (!isRecord(reference)) return undefined;
  const { kind = "", apiVersion = "v1", uid = "" } = reference;
  const name = String(reference.name ?? "");
  const plural = boundKinds[String(kind)];
  if (plural === undefined || apiVersion !== "v1") {
    throw badRequest(
      `cannot bind token for serviceaccount to object with kind "${apiVersion}, Kind=${kind}"`,
    );
  }
  const resource = { group: "", plural };
  const key = storeKey(plural === "nodes" ? undefined : namespace, name);
  const found = reads.store.get(plural, key);
  if (found === undefined) throw notFound(resource, name);
  const actual = found.metadata.uid;
  if (uid !== "" && uid !== actual) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict(resource, name, why);
  }
  return { kind: String(kind), apiVersion: "v1", name: name, uid: actual };
}
