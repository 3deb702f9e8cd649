import { isRecord } from "@keelson/core";
import { DecodeError, decodeBuiltin } from "../../schema/decode.ts";
import { type FieldSchema, goKind } from "../../schema/field-schema.ts";
import type { ParsedJson } from "../../schema/parse-json.ts";
import { badRequest, invalid } from "../../status/api-error.ts";
import { type FieldProblem, invalidValue, notSupported } from "../../status/field-problem.ts";
import { bodyFormat, parseBody, typeMeta, UnreadableBodyError } from "../body/parse-body.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { queryFlag, queryInteger } from "../request/query.ts";
import { dryRunProblems, type WriteOptions } from "./write-options.ts";

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
  /** The predecessor of propagationPolicy; not both may be set. */
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** The options of a deletion: from the body if there is one, else from the query. Throws ApiError. */
export async function deleteOptions(request: ApiRequest): Promise<DeleteOptions & WriteOptions> {
  const { query, user, warn, signal } = request;
  const body = await request.body();
  const given = body.length > 0 ? optionsOfBody(request, body) : optionsOfQuery(query);
  const { dryRun, ...options } = given;
  const problems = [...dryRunProblems(dryRun), ...propagationProblems(given)];
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", problems);
  const { propagationPolicy, ...rest } = options;
  return {
    ...rest,
    ...(isPolicy(propagationPolicy) && { propagationPolicy }),
    user,
    manager: "",
    dryRun: dryRun.length > 0,
    fieldValidation: "Ignore",
    admissionOptions: {
      kind: "DeleteOptions",
      apiVersion: "meta.k8s.io/v1",
      ...options,
      ...(dryRun.length > 0 && { dryRun }),
    },
    warn,
    signal,
  };
}

interface GivenOptions extends Omit<DeleteOptions, "propagationPolicy"> {
  readonly propagationPolicy?: string;
  readonly dryRun: readonly string[];
}

function isPolicy(policy: string | undefined): policy is "Background" | "Foreground" | "Orphan" {
  return policy === "Background" || policy === "Foreground" || policy === "Orphan";
}

function propagationProblems({ propagationPolicy, orphanDependents }: GivenOptions): readonly FieldProblem[] {
  if (propagationPolicy === undefined) return [];
  const field = "propagationPolicy";
  if (orphanDependents !== undefined) {
    const detail = "orphanDependents and deletionPropagation cannot be both set";
    return [invalidValue(field, propagationPolicy, detail)];
  }
  if (isPolicy(propagationPolicy)) return [];
  return [notSupported(field, propagationPolicy, ["Foreground", "Background", "Orphan", "nil"])];
}

function optionsOfQuery(query: URLSearchParams): GivenOptions {
  const gracePeriodSeconds = queryInteger(query, "gracePeriodSeconds");
  const orphanDependents = queryFlag(query, "orphanDependents");
  const propagationPolicy = query.get("propagationPolicy");
  return {
    dryRun: query.getAll("dryRun"),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    ...(propagationPolicy !== null && { propagationPolicy }),
  };
}

const int64: FieldSchema = { type: "integer", format: "int64" };
const text: FieldSchema = { type: "string" };

/** The schema of DeleteOptions, for the decoder. */
const optionsSchema: FieldSchema = {
  type: "object",
  typeName: "v1.DeleteOptions",
  properties: {
    kind: text,
    apiVersion: text,
    gracePeriodSeconds: { ...int64, keepsEmpty: true },
    preconditions: {
      type: "object",
      typeName: "v1.Preconditions",
      properties: { uid: { ...text, keepsEmpty: true }, resourceVersion: { ...text, keepsEmpty: true } },
    },
    orphanDependents: { type: "boolean", keepsEmpty: true },
    propagationPolicy: { ...text, keepsEmpty: true },
    dryRun: { type: "array", items: text },
    ignoreStoreReadErrorWithClusterBreakingPotential: { type: "boolean" },
  },
};

function optionsOfBody({ headers }: ApiRequest, body: Uint8Array): GivenOptions {
  const parsed = parseOptions(headers["content-type"], body);
  const json = isRecord(parsed.value) ? parsed.value : {};
  const { kind = "DeleteOptions", apiVersion = "v1" } = json;
  if (kind !== "DeleteOptions" && kind !== "") {
    const [found, version] = [JSON.stringify(kind), JSON.stringify(apiVersion)];
    throw badRequest(
      `no kind ${found} is registered for version ${version} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  try {
    decodeBuiltin({ ...parsed, value: json }, optionsSchema);
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
  return knownOptions(json);
}

/** The options in a decoded body, in which every field has its type. */
function knownOptions(json: Readonly<Record<string, unknown>>): GivenOptions {
  const { gracePeriodSeconds, orphanDependents, propagationPolicy, preconditions, dryRun } = json;
  const given = isRecord(preconditions) ? preconditions : undefined;
  return {
    dryRun: Array.isArray(dryRun) ? dryRun.map(String) : [],
    ...(typeof gracePeriodSeconds === "number" && { gracePeriodSeconds }),
    ...(typeof orphanDependents === "boolean" && { orphanDependents }),
    ...(typeof propagationPolicy === "string" && { propagationPolicy }),
    ...(given !== undefined && {
      preconditions: {
        ...(typeof given.uid === "string" && { uid: given.uid }),
        ...(typeof given.resourceVersion === "string" && { resourceVersion: given.resourceVersion }),
      },
    }),
  };
}

function parseOptions(contentType: string | undefined, body: Uint8Array): ParsedJson {
  const format = bodyFormat(contentType);
  try {
    const parsed = parseBody(body, format);
    if (parsed.value === null || isRecord(parsed.value)) return parsed;
    const problem = `json: cannot unmarshal ${goKind(parsed.value)} into Go value of type ${typeMeta}`;
    throw badRequest(`couldn't get version/kind; json parse error: ${problem}`);
  } catch (error) {
    if (!(error instanceof UnreadableBodyError)) throw error;
    throw badRequest(
      format === "json" ? `couldn't get version/kind; json parse error: ${error.message}` : error.message,
    );
  }
}
