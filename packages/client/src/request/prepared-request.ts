import type { TransportRequest } from "@keelson/core";
import type { ApiCall } from "./api-call.ts";
import { pathOf } from "./path.ts";

/** One request, ready to be sent, without what all requests share. */
export interface PreparedRequest {
  readonly method: TransportRequest["method"];
  readonly path: string;
  readonly accept: string;
  readonly body?: { readonly contentType: string; readonly text: string };
}

/** Turns a call into a request. Throws if that cannot be done; nothing has been sent then. */
export function toRequest(call: ApiCall): PreparedRequest {
  const { body } = call;
  const request = { method: methodOf(call), path: pathOf(call), accept: call.accept ?? acceptOf(call) };
  if (body === undefined) return request;
  return { ...request, body: { contentType: body.contentType, text: JSON.stringify(body.value) } };
}

function methodOf({ verb }: ApiCall): PreparedRequest["method"] {
  switch (verb) {
    case "get":
    case "list":
    case "watch":
      return "GET";
    case "create":
      return "POST";
    case "update":
      return "PUT";
    case "patch":
      return "PATCH";
    case "delete":
    case "deletecollection":
      return "DELETE";
  }
}

function acceptOf({ resource, verb }: ApiCall): string {
  if (resource.isMetadataOnly !== true) return "application/json";
  const isCollection = verb === "list" || verb === "deletecollection";
  const kind = isCollection ? "PartialObjectMetadataList" : "PartialObjectMetadata";
  return `application/json;as=${kind};g=meta.k8s.io;v=v1`;
}
