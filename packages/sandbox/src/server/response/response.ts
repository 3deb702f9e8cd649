import { formatJson, type GenericObject, type ServiceResponse, type Status } from "@keelson/core";
import type { ServedResource } from "../../resource/served-resource.ts";
import { ApiError } from "../../status/api-error.ts";
import { notAcceptable } from "../../status/request-errors.ts";
import type { AcceptedType } from "../request/accepted-type.ts";
import { encodeJson, encodeOnce, encodeSpecial, encodeText } from "./encode.ts";
import { type IncludedObject, partialMetadata, tableOf } from "./table.ts";

/** A response without the headers that all responses have. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: NonNullable<ServiceResponse["headers"]>;
  readonly body: NonNullable<ServiceResponse["body"]>;
}

export interface ObjectView {
  readonly accepted: AcceptedType;
  readonly resource: ServedResource;
  readonly included: IncludedObject;
  readonly now: number;
  /** The Go type of the object in messages. Default: that of the resource. */
  readonly goType?: string;
}

interface ObjectResponseOptions {
  readonly status?: number;
  /** Whether the encoded object is kept for the next response: it is stored, and was read. Default: false. */
  readonly isKept?: boolean;
}

/** A response with one object in the accepted representation. */
export function objectResponse(
  view: ObjectView,
  object: GenericObject,
  { status = 200, isKept = false }: ObjectResponseOptions = {},
): ApiResponse {
  const { accepted, resource, included, now, goType } = view;
  const { as, metaVersion } = accepted;
  if (as === "PartialObjectMetadataList") {
    const ofResource = `${resource.group === "" ? "core" : resource.group.split(".")[0]}.${resource.kind}`;
    const type = `*${goType ?? ofResource}`;
    throw notAcceptable(
      `you requested PartialObjectMetadataList, but the requested object is not a list (${type})`,
    );
  }
  if (as === "Table") {
    return valueResponse(accepted, tableOf({ resource, metaVersion, included, now }, object), status);
  }
  if (as !== undefined) return valueResponse(accepted, partialMetadata(object, metaVersion), status);
  if (accepted.format === "yaml" || accepted.isPretty) return valueResponse(accepted, object, status);
  const body = isKept ? encodeOnce(object) : encodeJson(formatJson(object));
  return { status, headers: jsonHeaders, body };
}

/** A response with any other value, such as a Status. */
export function valueResponse(
  { format, isPretty }: Pick<AcceptedType, "format" | "isPretty">,
  value: object,
  status = 200,
): ApiResponse {
  if (format === "json" && !isPretty) {
    return { status, headers: jsonHeaders, body: encodeJson(formatJson(value)) };
  }
  return { status, headers: headersOf(format), body: encodeSpecial(value, format) };
}

export function textResponse(text: string, status = 200): ApiResponse {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return { status, headers, body: encodeText(text) };
}

export const jsonHeaders: Readonly<Record<string, string>> = { "content-type": "application/json" };

export function headersOf(format: "json" | "yaml"): Readonly<Record<string, string>> {
  return format === "json" ? jsonHeaders : { "content-type": "application/yaml" };
}

export function statusResponse(
  error: ApiError,
  accepted: Pick<AcceptedType, "format" | "isPretty"> = { format: "json", isPretty: false },
): ApiResponse {
  const { status, headers } = error;
  const response = valueResponse(accepted, status, status.code);
  return { ...response, headers: { ...response.headers, ...headers } };
}

export function successStatus(code: number): Status {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code };
}

/** `Warning` headers, as RFC 7234 writes them; each on a line of its own, like those of the real server. */
export function warningHeaders(texts: readonly string[]): readonly string[] {
  return texts.map((text) => `299 - "${printable(text).replace(/[\\"]/g, "\\$&")}"`);
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e\u00a0-\u00ff]/g, (character) => (character === "\n" ? " " : "?"));
}

/** The response to an unexpected error, with the id under which the error was reported. */
export function unexpectedError(id: string): ApiError {
  return new ApiError({
    httpCode: 500,
    reason: "InternalError",
    message: `Internal error occurred: unexpected error ${id}`,
    details: { causes: [{ message: `unexpected error ${id}` }] },
  });
}
