import type { ServiceRequest } from "@keelson/core";
import type { UserInfo } from "../auth/user.ts";
import { notFound } from "../status/api-error.ts";
import { readBody } from "./body/parse-body.ts";
import { listOptions } from "./options/list-options.ts";
import { getObject } from "./read/get.ts";
import { listPage } from "./read/list.ts";
import { listAnswer } from "./read/list-response.ts";
import { selectionOf } from "./read/selection.ts";
import { watchAnswer } from "./read/watch-response.ts";
import { type AcceptedType, acceptedType } from "./request/accepted-type.ts";
import { type ApiRequest, nameOf } from "./request/api-request.ts";
import type { Route } from "./request/route.ts";
import { type Answer, type ObjectView, objectAnswer, valueAnswer } from "./response/response.ts";
import { includedObject } from "./response/table.ts";
import type { ServerTools } from "./server-dependencies.ts";
import { bindingAnswer } from "./subresources/binding.ts";
import { evictionAnswer } from "./subresources/eviction.ts";
import { connectionAnswer, isConnection } from "./subresources/pod-connections.ts";
import { isReview, reviewAnswer } from "./subresources/reviews.ts";
import { scaleAnswer } from "./subresources/scale.ts";
import { tokenAnswer } from "./subresources/token.ts";
import {
  createAnswer,
  deleteAnswer,
  deleteCollection,
  patchAnswer,
  updateAnswer,
} from "./write/write-handlers.ts";

/** A request whose path is understood, with everything that its answer may depend on. */
interface RoutedRequest {
  readonly route: Route;
  readonly query: URLSearchParams;
  readonly user: UserInfo;
  readonly service: ServiceRequest;
  warn(text: string): void;
}

/** Throws ApiError. */
export async function answerResource(tools: ServerTools, routed: RoutedRequest): Promise<Answer> {
  const { route, query, user, service, warn } = routed;
  const { verb, resource, subresource, namespace, name } = route;
  const { headers, signal } = service;
  const accepted = acceptedType({
    headers,
    query,
    isWatch: verb === "watch",
    isCollection: verb === "watch" || verb === "list",
    isCustom: resource.isCustom,
    canTransform: subresource === "scale" || !isSpecial(resource.collection, subresource),
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
  const special = specialAnswer(tools, request, accepted);
  return special ?? answerObjects(tools, request, accepted);
}

/** What is not read and written as objects are. */
function isSpecial(collection: string, subresource: string | undefined): boolean {
  return (
    isConnection(collection, subresource) ||
    isReview(collection) ||
    collection === "bindings" ||
    collection === "componentstatuses" ||
    (subresource !== undefined && specialSubresources.has(subresource))
  );
}

const specialSubresources: ReadonlySet<string> = new Set(["scale", "eviction", "binding", "token"]);

function specialAnswer(
  tools: ServerTools,
  request: ApiRequest,
  accepted: AcceptedType,
): Promise<Answer> | Answer | undefined {
  const { resource, subresource } = request;
  const { collection } = resource;
  if (subresource === "scale") return scaleAnswer(tools, request, viewOf(tools, request, accepted));
  if (!isSpecial(collection, subresource)) return undefined;
  if (isConnection(collection, subresource)) return connectionAnswer(tools, request);
  if (isReview(collection)) return reviewAnswer(tools, request);
  if (collection === "componentstatuses") return componentStatusAnswer(request);
  if (collection === "bindings" || subresource === "binding") return bindingAnswer(tools, request);
  return subresource === "eviction" ? evictionAnswer(tools, request) : tokenAnswer(tools, request);
}

async function answerObjects(
  tools: ServerTools,
  request: ApiRequest,
  accepted: AcceptedType,
): Promise<Answer> {
  const { verb, resource, namespace, query } = request;
  const view = viewOf(tools, request, accepted);
  switch (verb) {
    case "get": {
      const target = { resource, namespace, name: nameOf(request) };
      return objectAnswer(view, await getObject(tools.reads, target, query.get("resourceVersion") ?? ""));
    }
    case "list":
    case "watch":
      return answerCollection(tools, request, view);
    case "create":
      return createAnswer(tools, request, view);
    case "update":
      return updateAnswer(tools, request, view);
    case "patch":
      return patchAnswer(tools, request, view);
    case "delete":
      return deleteAnswer(tools, request, view);
    case "deletecollection":
      return answerDeleteCollection(tools, request, view);
  }
}

function viewOf({ clock }: ServerTools, { resource, query }: ApiRequest, accepted: AcceptedType): ObjectView {
  const included = accepted.as === "Table" ? includedObject(query) : "Metadata";
  return { accepted, resource, included, now: clock.now() };
}

async function answerCollection(tools: ServerTools, request: ApiRequest, view: ObjectView): Promise<Answer> {
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
  if (verb === "watch") return watchAnswer(tools.reads, { resource, selection, options, signal }, view);
  return listAnswer(view, listPage(tools.reads, resource, selection, options));
}

/** Answers what was deleted, as it was. */
async function answerDeleteCollection(
  tools: ServerTools,
  request: ApiRequest,
  view: ObjectView,
): Promise<Answer> {
  const { resource, namespace, query } = request;
  const options = listOptions(query, false);
  const { labelSelector, fieldSelector } = options;
  const selection = selectionOf({ resource, namespace, labelSelector, fieldSelector });
  const page = listPage(tools.reads, resource, selection, { ...options, resourceVersion: "" });
  await deleteCollection(tools, request, () => page.objects);
  return listAnswer(view, page);
}

/** There are no components beside the server itself. */
function componentStatusAnswer({ name }: ApiRequest): Answer {
  if (name !== undefined) throw notFound({ group: "", plural: "componentstatus" }, name);
  const list = { kind: "ComponentStatusList", apiVersion: "v1", metadata: {}, items: [] };
  return valueAnswer({ format: "json", isPretty: false }, list);
}
