import { type ApiCall, describeCall, InvalidCallError } from "@keelson/client";
import { type KubeObject, parseFieldSelector, parseLabelSelector } from "@keelson/core";
import { FieldNotIndexedError } from "../errors.ts";
import type { StoreQuery } from "../informer/informer.ts";

/** A list call, parsed for a cache [IN15]. */
export interface CacheListRequest {
  readonly query: StoreQuery;
  readonly name?: string;
  readonly limit?: number;
  /** The selectors contradict each other, as `metadata.name=a,metadata.name=b` does. */
  readonly isEmpty: boolean;
}

/** Whether a cache may serve a call: a read of whole objects without a resource version. */
export function isCacheRead({ verb, subresource, query, accept }: ApiCall): boolean {
  if (verb !== "get" && verb !== "list") return false;
  const isOfVersion = query.resourceVersion !== undefined || query.resourceVersionMatch !== undefined;
  return subresource === undefined && accept === undefined && !isOfVersion;
}

/** Whether the call has the name and namespace that its kind needs and no others. If not, the client reports the mistake. */
export function isWellFormed({ verb, resource, namespace, name }: ApiCall): boolean {
  if (namespace === "" || name === "" || (verb === "get") !== (name !== undefined)) return false;
  return resource.scope === "Cluster" ? namespace === undefined : verb === "list" || namespace !== undefined;
}

/**
 * Parses a list call. Field selectors may only test for equality, of name, namespace and indexes; all must hold. There are
 * no pages: `continue` is refused.
 */
export function toListRequest(call: ApiCall, hasIndex: (name: string) => boolean): CacheListRequest {
  const operation = describeCall(call);
  const { labelSelector = "", fieldSelector = "", limit, continue: token } = call.query;
  if (token !== undefined && token !== "")
    throw new InvalidCallError(
      operation,
      "a cache has no pages, so it cannot continue one; leave the limit out, or read with the live client",
    );
  const selected = { "metadata.name": new Set<string>(), "metadata.namespace": new Set<string>() };
  if (call.namespace !== undefined) selected["metadata.namespace"].add(call.namespace);
  const indexed: { index: string; value: string }[] = [];
  for (const { field, operator, value } of parseFieldSelector(fieldSelector)) {
    if (operator !== "=")
      throw new InvalidCallError(operation, `a cache selects fields only by "=", not by ${field}!=`);
    if (field === "metadata.name" || field === "metadata.namespace") selected[field].add(value);
    else if (hasIndex(field)) indexed.push({ index: field, value });
    else throw new FieldNotIndexedError(operation, field);
  }
  const [name, ...otherNames] = selected["metadata.name"];
  const [namespace, ...otherNamespaces] = selected["metadata.namespace"];
  return {
    query: {
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== "" && { labels: parseLabelSelector(labelSelector) }),
      ...(indexed.length > 0 && { indexed }),
    },
    ...(name !== undefined && { name }),
    ...limitOf(operation, limit),
    isEmpty: otherNames.length > 0 || otherNamespaces.length > 0,
  };
}

/** Whether an object that matches the query also has the requested name. */
export function hasRequestedName({ name }: CacheListRequest, { metadata }: KubeObject): boolean {
  return name === undefined || metadata.name === name;
}

/** 0 is no limit, as it is to the server. */
function limitOf(operation: string, limit: string | undefined): { readonly limit?: number } {
  if (limit === undefined || limit === "" || limit === "0") return {};
  if (!/^\d+$/.test(limit)) throw new InvalidCallError(operation, `the limit ${limit} is not a whole number`);
  return { limit: Number(limit) };
}
