import { etcdPrefix } from "../../resource/etcd-key.ts";
import type { ResourceRegistry } from "../../resource/resource-registry.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import {
  type ApiError,
  badRequest,
  internalError,
  methodNotAllowed,
  notFound,
  pageNotFound,
  plainError,
} from "../../status/api-error.ts";
import { goQuote } from "../../status/go-quote.ts";
import { methodRefused } from "../../status/request-errors.ts";
import type { Verb } from "./api-request.ts";
import { type PathTarget, type RequestPath, segmentProblem } from "./request-path.ts";

/** The resource, the object and the verb of a request. */
export interface Route {
  readonly verb: Verb;
  readonly resource: ServedResource;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** Whether built-in kinds are served in the group; only then is an unknown resource a NotFound with a Status. */
function isBuiltinGroup(registry: ResourceRegistry, { group }: PathTarget): boolean {
  return group === "" || registry.all().some((one) => !one.isCustom && one.group === group);
}

/** Undefined for a path that no part of the server serves. Throws ApiError if a part serves it, but not this request. */
export function routeOf(registry: ResourceRegistry, { verb, target }: RequestPath): Route | undefined {
  if (target === undefined) return undefined;
  const { group, version, resource: plural, subresource, pathName, isLegacyWatch } = target;
  const resource = registry.find(group, version, plural);
  if (resource === undefined) {
    if (isBuiltinGroup(registry, target)) throw pageNotFound();
    return undefined;
  }
  const isNamespace = group === "" && plural === "namespaces";
  const namespace = isNamespace ? "" : target.namespace;
  const isEverywhere = resource.scope === "Namespaced" && namespace === "";
  const isMisplaced = (resource.scope === "Cluster" && namespace !== "") || (isEverywhere && pathName !== "");
  if (isMisplaced) {
    if (resource.isCustom) return undefined;
    throw pageNotFound();
  }
  const checked = checkedVerb(resource, target, verb);
  if (isEverywhere && checked !== "list" && checked !== "watch") {
    if (resource.isCustom) return undefined;
    throw methodRefused();
  }
  checkName(pathName);
  checkNamespace(namespace, resource, checked, pathName);
  return {
    verb: checked,
    resource,
    subresource: subresource === "" || isLegacyWatch ? undefined : subresource,
    namespace: namespace === "" ? undefined : namespace,
    name: pathName === "" ? undefined : pathName,
  };
}

/** Subresources that are followed by a path of the target. */
const proxies: ReadonlySet<string> = new Set(["proxy"]);

function checkedVerb(resource: ServedResource, target: PathTarget, verb: string): Verb {
  const { subresource, rest, pathName, isLegacyWatch } = target;
  const isCollection = pathName === "";
  if (isLegacyWatch && subresource !== "") throw pageNotFound();
  if (rest.length > 0 && !proxies.has(subresource)) throw pageNotFound();
  if (subresource !== "") return subresourceVerb(resource, target, verb);
  if (!isVerb(verb)) throw refusedMethod(resource, verb);
  const isOfCollection = verb === "create" || verb === "list" || verb === "deletecollection";
  const isEither = verb === "watch";
  if (resource.isCustom && !isEither && isCollection && (verb === "update" || verb === "patch")) {
    throw badRequest("name must be provided");
  }
  if (!isEither && isOfCollection !== isCollection && !(resource.isCustom && verb === "create")) {
    throw methodRefused();
  }
  if (!resource.verbs.includes(verb)) throw refusedMethod(resource, verb);
  return verb;
}

function subresourceVerb(resource: ServedResource, target: PathTarget, verb: string): Verb {
  const found = resource.subresources.get(target.subresource);
  if (found === undefined) throw resource.isCustom ? notFound(resource, target.pathName) : pageNotFound();
  if (!isVerb(verb) || !found.verbs.includes(verb)) throw refusedMethod(resource, verb);
  return verb;
}

/** Custom kinds have a router of their own, with its own messages. */
function refusedMethod(resource: ServedResource, verb: string): ApiError {
  return resource.isCustom ? methodNotAllowed(resource, verb) : methodRefused();
}

const verbs: ReadonlySet<string> = new Set<Verb>([
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
]);

function isVerb(verb: string): verb is Verb {
  return verbs.has(verb);
}

function checkName(name: string): void {
  const problem = segmentProblem(name);
  if (problem !== undefined) throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${problem}`);
}

/** The real server finds such a namespace only when it makes a key, or when a creation reads the Namespace. */
function checkNamespace(namespace: string, resource: ServedResource, verb: Verb, name: string): void {
  if (namespace !== "." && namespace !== "..") return;
  if (verb === "create")
    throw internalError(`invalid resource name ${goQuote(namespace)}: [${segmentProblem(namespace)}]`);
  const key = [etcdPrefix(resource), namespace, ...(name === "" ? [] : [name])].join("/");
  throw plainError(`invalid key: ${goQuote(key)}`);
}
