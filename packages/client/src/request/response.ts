import {
  hasIdentityOf,
  isRecord,
  isStatus,
  type Kind,
  type KubeList,
  type KubeObject,
  type ListMeta,
  reduceTo,
  type Status,
  type Stored,
  servedIdentityOf,
  type TransportResponse,
} from "@keelson/core";
import { type ApiError, apiErrorFrom, MalformedResponseError } from "../errors.ts";
import type { PreparedRequest } from "./prepared-request.ts";

/**
 * Takes the response of the server for a stored object of the kind. The server guarantees the fields of a kind it serves
 * and of the metadata, so only the kind itself is checked: a proxy might have responded in its place. An object of a
 * projected kind is reduced, unless it comes from a cache and is reduced already.
 */
export function asObject<T extends KubeObject>(
  operation: string,
  resource: Kind<T>,
  response: unknown,
): Stored<T> {
  if (isStoredObject(response)) {
    const object = reduceTo(resource, response);
    if (hasIdentityOf(resource, object)) return object;
  }
  throw new MalformedResponseError(operation, {
    problem: `the response is ${describe(response)}, not a ${resource.kind}`,
  });
}

/** As asObject, for deletes, whose response may also be a Status. */
export function asObjectOrStatus<T extends KubeObject>(
  operation: string,
  resource: Kind<T>,
  response: unknown,
): Stored<T> | Status {
  return isStatus(response) ? response : asObject(operation, resource, response);
}

/** As asObject, for lists. Lists of built-in kinds leave out what their items are; here every item says it. */
export function asList<T extends KubeObject>(
  operation: string,
  resource: Kind<T>,
  response: unknown,
): KubeList<Stored<T>> {
  const problem = `the response is ${describe(response)}, not a list of ${resource.kind}`;
  const identity = servedIdentityOf(resource);
  const isList = isListResponse(response) && response.kind === `${identity.kind}List`;
  if (!isList) throw new MalformedResponseError(operation, { problem });
  const items = (response.items ?? []).map((item) => {
    const object = isRecord(item) && item.kind === undefined ? { ...identity, ...item } : item;
    return asObject(operation, resource, object);
  });
  return { apiVersion: response.apiVersion, kind: response.kind, metadata: response.metadata, items };
}

function isStoredObject(response: unknown): response is Stored {
  return isRecord(response) && isRecord(response.metadata);
}

interface ListResponse {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ListMeta;
  /** Go writes an empty list as null. */
  readonly items: readonly unknown[] | null;
}

function isListResponse(response: unknown): response is ListResponse {
  return (
    isRecord(response) &&
    typeof response.apiVersion === "string" &&
    typeof response.kind === "string" &&
    isRecord(response.metadata) &&
    (Array.isArray(response.items) || response.items === null)
  );
}

function describe(response: unknown): string {
  return isRecord(response) && typeof response.kind === "string" ? `a ${response.kind}` : "something else";
}

/** Reads a response body to its end. */
export async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** Is called with each warning of the API server about a call that succeeded, such as a field that does not exist. */
export type OnServerWarning = (text: string, operation: string) => void;

const oneWarning = /\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/g;

/** The texts of a `Warning` header, which may hold several. */
export function warningsIn(header: string | undefined): readonly string[] {
  return [...(header ?? "").matchAll(oneWarning)].map(([, text = ""]) => text.replace(/\\(.)/g, "$1"));
}

/** Anything that is not a success: also a redirect, which an API server does not send. */
export function isErrorResponse({ status }: TransportResponse): boolean {
  return status < 200 || status >= 300;
}

/** The error for a response that is a refusal. */
export function errorFromResponse(
  operation: string,
  request: PreparedRequest,
  response: TransportResponse,
  text: string,
): ApiError {
  const status = statusIn(text) ?? bareStatus(request, response, text);
  const seconds = status.details?.retryAfterSeconds ?? retryAfterSeconds(response);
  const details = seconds === undefined ? status.details : { ...status.details, retryAfterSeconds: seconds };
  const code = status.code ?? response.status;
  return apiErrorFrom(operation, { ...status, code, ...(details !== undefined && { details }) });
}

/** The seconds to wait before the next try, as the response says. */
export function retryAfterSeconds({ headers }: Pick<TransportResponse, "headers">): number | undefined {
  const header = headers["retry-after"];
  const seconds = Number(header);
  return header === undefined || header === "" || !Number.isFinite(seconds) || seconds < 0
    ? undefined
    : seconds;
}

function statusIn(text: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isStatus(value) ? value : undefined;
  } catch {
    // Not JSON: a proxy responded, not the API server, and its text is the best message available.
    return undefined;
  }
}

/** What can be said of a refusal that did not come with a Status, such as a proxy's page. */
function bareStatus({ method }: PreparedRequest, { status: code }: TransportResponse, text: string): Status {
  const reason = code === 409 && method === "POST" ? { reason: "AlreadyExists" } : {};
  return {
    apiVersion: "v1",
    kind: "Status",
    status: "Failure",
    code,
    ...reason,
    message: text.trim().slice(0, 500),
  };
}
