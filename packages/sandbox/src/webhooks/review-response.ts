import { isRecord } from "@keelson/core";
import { decodeBuiltin } from "../schema/decode.ts";
import { type FieldSchema, goKind } from "../schema/field-schema.ts";
import { parseJson } from "../schema/parse-json.ts";
import { InvalidReviewError } from "./webhook-failure.ts";

/** The checked response of a webhook. */
export interface ReviewResponse {
  readonly allowed: boolean;
  readonly status: unknown;
  readonly warnings: readonly string[];
  /** In JSON; undefined if the webhook changes nothing. */
  readonly patch: string | undefined;
  readonly patchType: string | undefined;
}

/** The review to which the response belongs. */
interface ExpectedResponse {
  readonly uid: string;
  /** Of the AdmissionReview: `v1` or `v1beta1`. */
  readonly version: string;
  readonly isMutating: boolean;
}

const text: FieldSchema = { type: "string" };

const reviewSchema: FieldSchema = {
  type: "object",
  typeName: "v1.AdmissionReview",
  properties: {
    apiVersion: text,
    kind: text,
    response: {
      type: "object",
      typeName: "v1.AdmissionResponse",
      properties: {
        uid: text,
        allowed: { type: "boolean" },
        status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        patch: { type: "string", format: "byte" },
        patchType: { type: "string", keepsEmpty: true },
        auditAnnotations: { type: "object", additionalProperties: text },
        warnings: { type: "array", items: text },
      },
    },
  },
};

/** Decodes the body of a response. Throws InvalidReviewError with the message of Go's decoder if it is not a review. */
export function decodeReview(body: string, version: string): Readonly<Record<string, unknown>> {
  const parsed = parsedReview(body);
  const { value } = parsed;
  if (!isRecord(value)) {
    const struct =
      'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
    throw new InvalidReviewError(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(value)} into Go value of type ${struct}`,
    );
  }
  const { apiVersion = "", kind = "" } = value;
  const [, given] = /^admission\.k8s\.io\/(v1|v1beta1)$/.exec(String(apiVersion)) ?? [];
  const isNamed = apiVersion !== "" || kind !== "";
  if (isNamed && (given === undefined || kind !== "AdmissionReview")) {
    const what = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
    throw new InvalidReviewError(`${what} in scheme "pkg/runtime/scheme.go:111"`);
  }
  if (isNamed && given !== version) {
    throw new InvalidReviewError(
      `converting (${given}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`,
    );
  }
  return decodeBuiltin(parsed, reviewSchema).object;
}

function parsedReview(body: string): ReturnType<typeof parseJson> {
  try {
    return parseJson(body);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new InvalidReviewError(`couldn't get version/kind; json parse error: ${why}`, { cause: error });
  }
}

/** Throws InvalidReviewError if the response does not belong to the review. */
export function checkedResponse(
  { apiVersion = "", kind = "", response }: Readonly<Record<string, unknown>>,
  { uid, version, isMutating }: ExpectedResponse,
): ReviewResponse {
  if (!isRecord(response)) throw new InvalidReviewError("webhook response was absent");
  const isStrict = version === "v1";
  if (isStrict && response.uid !== uid) {
    const given = JSON.stringify(response.uid ?? "");
    throw new InvalidReviewError(`expected response.uid=${JSON.stringify(uid)}, got ${given}`);
  }
  if (isStrict && kind === "") {
    const expected = "admission.k8s.io/v1, Kind=AdmissionReview";
    throw new InvalidReviewError(`expected webhook response of ${expected}, got ${apiVersion || "/"}, Kind=`);
  }
  const { allowed, status, warnings, patchType } = response;
  const patch = typeof response.patch === "string" && response.patch !== "" ? response.patch : undefined;
  if (isStrict || isMutating) checkPatch({ patch, patchType, isMutating, isStrict });
  return {
    allowed: allowed === true,
    status,
    warnings: Array.isArray(warnings) ? warnings.map(String) : [],
    patch: patch === undefined ? undefined : Buffer.from(patch, "base64").toString(),
    // v1beta1 reviews have only one patch type.
    patchType: isStrict ? (typeof patchType === "string" ? patchType : undefined) : "JSONPatch",
  };
}

interface GivenPatch {
  readonly patch: string | undefined;
  readonly patchType: unknown;
  readonly isMutating: boolean;
  readonly isStrict: boolean;
}

function checkPatch({ patch, patchType, isMutating, isStrict }: GivenPatch): void {
  if (!isStrict) return;
  if (!isMutating) {
    if (patch !== undefined) throw new InvalidReviewError("validating webhook may not return response.patch");
    if (patchType !== undefined)
      throw new InvalidReviewError("validating webhook may not return response.patchType");
    return;
  }
  if (patch !== undefined && patchType === undefined) {
    throw new InvalidReviewError("webhook returned response.patch but not response.patchType");
  }
  if (patch === undefined && patchType !== undefined) {
    throw new InvalidReviewError("webhook returned response.patchType but not response.patch");
  }
  if (patchType === "") throw new InvalidReviewError('webhook returned invalid response.patchType of ""');
}
