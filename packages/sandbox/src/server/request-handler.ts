import type { ServiceRequest } from "@keelson/core";
import type { UserInfo } from "../auth/user.ts";
import { readBody } from "./body/parse-body.ts";
import { handleComponentStatuses } from "./component-statuses.ts";
import { listOptions } from "./options/list-options.ts";
import { getObject } from "./read/get.ts";
import { listPage } from "./read/list.ts";
import { listResponse } from "./read/list-response.ts";
import { selectionOf } from "./read/selection.ts";
import { watchResponse } from "./read/watch-response.ts";
import { type AcceptedType, acceptedType } from "./request/accepted-type.ts";
import { type ApiRequest, nameOf } from "./request/api-request.ts";
import type { Route } from "./request/route.ts";
import { type ApiResponse, type ObjectView, objectResponse } from "./response/response.ts";
import { includedObject } from "./response/table.ts";
import type { ServerDependencies } from "./server-dependencies.ts";
import { handleBinding } from "./subresources/binding.ts";
import { handleEviction } from "./subresources/eviction.ts";
import { handleConnection, isConnection } from "./subresources/pod-connections.ts";
import { handleReview, isReview } from "./subresources/reviews.ts";
import { handleScale } from "./subresources/scale.ts";
import { handleTokenRequest } from "./subresources/token.ts";
import {
  deleteCollection,
  handleCreate,
  handleDelete,
  handlePatch,
  handleUpdate,
} from "./write/write-handlers.ts";

/** A request with its route, its query and its user. */
interface RoutedRequest {
  readonly route: Route;
  readonly query: URLSearchParams;
  readonly user: UserInfo;
  readonly service: ServiceRequest;
  warn(text: string): void;
}

/** Handles a request for a resource: negotiates the media type, and calls the handler of the verb or subresource. */
export async function handleResource(
  dependencies: ServerDependencies,
  routed: RoutedRequest,
): Promise<ApiResponse> {
  const { route, query, user, service, warn } = routed;
  const { verb, resource, subresource, namespace, name } = route;
  const { headers, signal } = service;
  const accepted = acceptedType({
    headers,
    query,
    isWatch: verb === "watch",
    isCollection: verb === "watch" || verb === "list",
    isCustom: resource.isCustom,
    canTransform: isTransformable(resource.collection, subresource),
  });
  const request: ApiRequest = {
    verb,
    resource,
    subresource,
    namespace,
    name,
    query,
    headers,
    user,
    body: () => readBody(service.body),
    warn,
    signal,
  };
  if (resource.deprecationWarning !== undefined) warn(resource.deprecationWarning);
  const special = handleSpecial(dependencies, request, accepted);
  return special ?? handleObjects(dependencies, request, accepted);
}

/** Whether there is a Table of it. */
function isTransformable(collection: string, subresource: string | undefined): boolean {
  return subresource === "scale" || collection === componentStatuses || !isSpecial(collection, subresource);
}

const componentStatuses = "componentstatuses";

/** Whether the resource or subresource is not read and written like an object. */
function isSpecial(collection: string, subresource: string | undefined): boolean {
  return (
    isConnection(collection, subresource) ||
    isReview(collection) ||
    collection === "bindings" ||
    collection === componentStatuses ||
    (subresource !== undefined && specialSubresources.has(subresource))
  );
}

const specialSubresources: ReadonlySet<string> = new Set(["scale", "eviction", "binding", "token"]);

function handleSpecial(
  dependencies: ServerDependencies,
  request: ApiRequest,
  accepted: AcceptedType,
): Promise<ApiResponse> | ApiResponse | undefined {
  const { resource, subresource } = request;
  const { collection } = resource;
  if (subresource === "scale")
    return handleScale(dependencies, request, viewOf(dependencies, request, accepted));
  if (!isSpecial(collection, subresource)) return undefined;
  if (isConnection(collection, subresource)) return handleConnection(dependencies, request);
  if (isReview(collection)) return handleReview(dependencies, request);
  if (collection === componentStatuses)
    return handleComponentStatuses(dependencies, request, viewOf(dependencies, request, accepted));
  if (collection === "bindings" || subresource === "binding") return handleBinding(dependencies, request);
  return subresource === "eviction"
    ? handleEviction(dependencies, request)
    : handleTokenRequest(dependencies, request);
}

async function handleObjects(
  dependencies: ServerDependencies,
  request: ApiRequest,
  accepted: AcceptedType,
): Promise<ApiResponse> {
  const { verb, resource, namespace, query } = request;
  const view = viewOf(dependencies, request, accepted);
  switch (verb) {
    case "get": {
      const target = { resource, namespace, name: nameOf(request) };
      const object = await getObject(dependencies.reads, target, query.get("resourceVersion") ?? "");
      return objectResponse(view, object, { isKept: true });
    }
    case "list":
    case "watch":
      return handleCollection(dependencies, request, view);
    case "create":
      return handleCreate(dependencies, request, view);
    case "update":
      return handleUpdate(dependencies, request, view);
    case "patch":
      return handlePatch(dependencies, request, view);
    case "delete":
      return handleDelete(dependencies, request, view);
    case "deletecollection":
      return handleDeleteCollection(dependencies, request, view);
  }
}

function viewOf(
  { clock }: ServerDependencies,
  { resource, query }: ApiRequest,
  accepted: AcceptedType,
): ObjectView {
  const included = accepted.as === "Table" ? includedObject(query) : "Metadata";
  return { accepted, resource, included, now: clock.now() };
}

async function handleCollection(
  dependencies: ServerDependencies,
  request: ApiRequest,
  view: ObjectView,
): Promise<ApiResponse> {
  const { verb, resource, namespace, name, query, signal } = request;
  const options = listOptions(query, verb === "watch");
  const { labelSelector, fieldSelector } = options;
  const selection = selectionOf({
    resource,
    namespace,
    labelSelector,
    fieldSelector,
    ...(name !== undefined && { name }),
  });
  if (verb === "watch")
    return watchResponse(dependencies.reads, { resource, selection, options, signal }, view);
  return listResponse(view, listPage(dependencies.reads, resource, selection, options));
}

/** Responds with the deleted objects, as they were. */
async function handleDeleteCollection(
  dependencies: ServerDependencies,
  request: ApiRequest,
  view: ObjectView,
): Promise<ApiResponse> {
  const { resource, namespace, query } = request;
  const options = listOptions(query, false);
  const { labelSelector, fieldSelector } = options;
  const selection = selectionOf({ resource, namespace, labelSelector, fieldSelector });
  const page = listPage(dependencies.reads, resource, selection, { ...options, resourceVersion: "" });
  await deleteCollection(dependencies, request, () => page.objects);
  return listResponse(view, page);
}
