import { isRecord, type ResourceUse, type Transport, type TransportRequest } from "@keelson/core";

/** A request that changes something, or tries to. */
export interface RecordedWrite {
  readonly verb: "create" | "update" | "patch" | "apply" | "delete" | "deletecollection";
  /** With its group, such as `deployments.apps`. */
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  /** Absent for a collection, and for an object whose name the server makes up. */
  readonly name?: string;
}

/** Not the work of an operator: reports about itself, and reviews, which are reads in the form of creates. */
const leftOut: ReadonlySet<string> = new Set([
  "events",
  "events.events.k8s.io",
  "leases.coordination.k8s.io",
  "selfsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectrulesreviews.authorization.k8s.io",
  "subjectaccessreviews.authorization.k8s.io",
  "localsubjectaccessreviews.authorization.k8s.io",
  "tokenreviews.authentication.k8s.io",
]);

/**
 * The write that a request is. Undefined for reads, for dry runs, for Events and Leases, and for reviews, which query
 * something.
 */
export function writeOf(request: TransportRequest): RecordedWrite | undefined {
  if (request.method === "GET") return undefined;
  const [path = "", query = ""] = request.path.split("?");
  if (new URLSearchParams(query).has("dryRun")) return undefined;
  const target = targetOf(path);
  if (target === undefined || leftOut.has(target.resource)) return undefined;
  const name = target.name ?? (request.method === "POST" ? nameIn(request.body) : undefined);
  return { ...target, verb: verbOf(request, target.name), ...(name !== undefined && { name }) };
}

/** The use of the API that a request for objects is, as an operator declares it; undefined for other paths. */
export function useOf(request: TransportRequest): ResourceUse | undefined {
  const [path = "", query = ""] = request.path.split("?");
  const target = targetOf(path);
  if (target === undefined) return undefined;
  const [resource = "", ...groups] = target.resource.split(".");
  const { subresource } = target;
  const verb = request.method === "GET" ? readVerb(query, target.name) : verbOf(request, target.name);
  return {
    verb: verb === "apply" ? "patch" : verb,
    group: groups.join("."),
    resource,
    ...(subresource !== undefined && { subresource }),
  };
}

function readVerb(query: string, name: string | undefined): string {
  if (new URLSearchParams(query).has("watch")) return "watch";
  return name === undefined ? "list" : "get";
}

/** `apply deployments.apps/status shop/web`. */
export function describeWrite({ verb, resource, subresource, namespace, name }: RecordedWrite): string {
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = [namespace, name].filter((part) => part !== undefined).join("/");
  return where === "" ? `${verb} ${what}` : `${verb} ${what} ${where}`;
}

function verbOf({ method, headers }: TransportRequest, name: string | undefined): RecordedWrite["verb"] {
  switch (method) {
    case "PATCH":
      return headers["content-type"]?.startsWith("application/apply-patch") === true ? "apply" : "patch";
    case "PUT":
      return "update";
    case "DELETE":
      return name === undefined ? "deletecollection" : "delete";
    case "POST":
    case "GET":
      return "create";
  }
}

/** `/api/<version>` or `/apis/<group>/<version>`, then `/namespaces/<namespace>` if there is one, then the object. */
const objectPath =
  /^\/(?:api|apis\/(?<group>[^/]+))\/[^/]+(?:\/namespaces\/(?<namespace>[^/]+)(?=\/[^/]))?\/(?<rest>.+)$/;

function targetOf(path: string): Omit<RecordedWrite, "verb"> | undefined {
  const { group, namespace, rest = "" } = objectPath.exec(path)?.groups ?? {};
  // A Namespace has parts of its own, which are no objects in it.
  const isNamespacePart = group === undefined && (rest === "finalize" || rest === "status");
  if (isNamespacePart && namespace !== undefined)
    return { resource: "namespaces", name: decodeURIComponent(namespace), subresource: rest };
  const [plural = "", name, subresource] = rest.split("/").map(decodeURIComponent);
  if (plural === "") return undefined;
  return {
    resource: group === undefined ? plural : `${plural}.${group}`,
    ...(namespace !== undefined && { namespace: decodeURIComponent(namespace) }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  };
}

function nameIn(body: string | undefined): string | undefined {
  const object: unknown = body === undefined ? undefined : JSON.parse(body);
  if (!isRecord(object) || !isRecord(object.metadata)) return undefined;
  const { name } = object.metadata;
  return typeof name === "string" ? name : undefined;
}

/** Records each write before it is sent. A retry is a write of its own. */
export function recordingTransport(inner: Transport, onWrite: (write: RecordedWrite) => void): Transport {
  return {
    send: (request) => {
      const write = writeOf(request);
      if (write !== undefined) onWrite(write);
      return inner.send(request);
    },
    close: () => inner.close(),
  };
}
