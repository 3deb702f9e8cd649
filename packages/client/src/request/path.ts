import { InvalidCallError } from "../errors.ts";
import { type ApiCall, describeCall } from "./api-call.ts";

/** The path and query of a call. Throws if the call lacks what its kind needs; nothing has been sent then. */
export function pathOf(call: ApiCall): string {
  const { resource, subresource, query } = call;
  const { group, version, plural } = resource;
  checkScope(call);
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

/** Verbs that speak of one object, or of a new one, which lives in one namespace. */
const oneNamespace = new Set(["get", "create", "update", "patch", "delete"]);

function checkScope(call: ApiCall): void {
  const { verb, resource, namespace, name } = call;
  const operation = describeCall(call);
  if (name === "") throw new InvalidCallError(operation, "the name is empty; an object must be named");
  if (resource.scope === "Cluster" && namespace !== undefined) {
    throw new InvalidCallError(operation, `${resource.kind} has no namespaces; leave ${namespace} out`);
  }
  if (resource.scope === "Namespaced" && namespace === undefined && oneNamespace.has(verb)) {
    throw new InvalidCallError(
      operation,
      `${resource.kind} lives in a namespace; name it, or use inNamespace`,
    );
  }
}

function queryString(query: ApiCall["query"]): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.append(name, value);
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}
