import { formatJson, type TransportRequest } from "@keelson/core";
import { InvalidCallError } from "../errors.ts";
import { type ApiCall, describeCall, isApply, isWrite } from "./api-call.ts";

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
  return { ...request, body: { contentType: body.contentType, text: formatJson(body.value) } };
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

/** The path and query of a call. Throws if the call lacks what its kind needs; nothing has been sent then. */
export function pathOf(call: ApiCall): string {
  const { resource, subresource, query } = call;
  const { group, version, plural } = resource;
  const problem = nameProblem(call) ?? scopeProblem(call) ?? ownerProblem(call) ?? projectionProblem(call);
  if (problem !== undefined) throw new InvalidCallError(describeCall(call), problem);
  const root = group === "" ? ["api", version] : ["apis", group, version];
  const scope = call.namespace === undefined ? [] : ["namespaces", call.namespace];
  const object = call.name === undefined ? [] : [call.name];
  const segments = [
    ...root,
    ...scope,
    plural,
    ...object,
    ...(subresource === undefined ? [] : [subresource]),
  ];
  return `/${segments.map(encodeURIComponent).join("/")}${queryString(query)}`;
}

const verbsOfOneObject: ReadonlySet<string> = new Set(["get", "update", "patch", "delete"]);

/** Without this check a delete that lost its name would delete the whole collection. */
function nameProblem({ verb, name, namespace, subresource }: ApiCall): string | undefined {
  const needsName = verbsOfOneObject.has(verb) || subresource !== undefined;
  if (name === "" || (name === undefined && needsName))
    return "the object has no name; say which one is meant";
  if (namespace === "") return "the namespace is empty; leave it out to mean all, or name one";
  // The server decodes a path before it takes it apart, so these would reach somewhere else.
  const strange = [name, namespace].find((part) => part !== undefined && /^\.\.?$|[/%]/.test(part));
  return strange === undefined
    ? undefined
    : `${JSON.stringify(strange)} is not a name; it may not hold / or %`;
}

/** Verbs for one object, for a new one, or for the deletion of many: each in one namespace. */
const verbsOfOneNamespace: ReadonlySet<string> = new Set([...verbsOfOneObject, "create", "deletecollection"]);

function scopeProblem({ verb, resource, namespace }: ApiCall): string | undefined {
  if (resource.scope === "Cluster" && namespace !== undefined) {
    return `${resource.kind} has no namespaces; leave ${namespace} out`;
  }
  if (resource.scope === "Namespaced" && namespace === undefined && verbsOfOneNamespace.has(verb)) {
    return `${resource.kind} lives in a namespace; name it, or use inNamespace`;
  }
  return undefined;
}

function ownerProblem(call: ApiCall): string | undefined {
  if (!isApply(call) || call.query.fieldManager !== undefined) return undefined;
  return "server-side apply needs to know who applies; give a fieldOwner, or use withFieldOwner";
}

/** An object that is written back without the fields that a projection drops would lose them. */
function projectionProblem(call: ApiCall): string | undefined {
  const { projection, kind } = call.resource;
  if (projection === undefined || !isWrite(call)) return undefined;
  return `the projection ${projection.name} of ${kind} can only be read; write with the kind itself`;
}

function queryString(query: ApiCall["query"]): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.append(name, value);
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}
