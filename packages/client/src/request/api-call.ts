import { formatLabelSelector, groupResourceOf, isRecord, type Resource } from "@keelson/core";
import type {
  ApplyOptions,
  DeleteOptions,
  ListOptions,
  Selection,
  WatchOptions,
  WriteOptions,
} from "../client.ts";

/** The verbs of the Kubernetes API, as RBAC names them. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/**
 * One call to the API server, as data. Every method of a client makes one of these, so whatever is to hold for all of
 * them (a dry run, a default namespace, a record of what was used) is a function on it.
 */
export interface ApiCall {
  readonly verb: Verb;
  readonly resource: Resource;
  /** Absent for cluster-scoped kinds and for calls across all namespaces. */
  readonly namespace?: string;
  /** Absent for calls on a whole collection. */
  readonly name?: string;
  readonly subresource?: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body?: { readonly contentType: string; readonly value: unknown };
  /** The media type to request instead of the kind's JSON. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** How long until the whole response must have arrived. Default the client's; streams have none. */
  readonly timeoutMs?: number;
  /** True for responses that are read as they arrive: watches and logs. */
  readonly isStream: boolean;
  /** Called right before the first byte leaves, each time that the call is sent; if it throws, nothing is sent. */
  readonly checkBeforeSend?: () => void;
  /** Called when a cache serves the object or the list, so that no request is sent. */
  readonly onCacheHit?: () => void;
}

const applyContentType = "application/apply-patch+yaml";

/** The body of a server-side apply. */
export function applyBody(value: object): NonNullable<ApiCall["body"]> {
  return { contentType: applyContentType, value };
}

/** Whether the call changes objects; a call that does not only reads them. */
export function isWrite({ verb }: Pick<ApiCall, "verb">): boolean {
  return verb !== "get" && verb !== "list" && verb !== "watch";
}

/** Whether the server is to check the write and store nothing. A delete has this option in its body, other writes in the query. */
export function isDryRun({ verb, query, body }: ApiCall): boolean {
  if (query.dryRun !== undefined) return true;
  const hasOptions = verb === "delete" || verb === "deletecollection";
  return hasOptions && isRecord(body?.value) && body.value.dryRun !== undefined;
}

/** Whether the call is a server-side apply. */
export function isApply({ body }: ApiCall): boolean {
  return body?.contentType === applyContentType;
}

/** `update deployments.apps/status shop/web`: how a call is named in errors, logs and traces. */
export function describeCall({ verb, resource, subresource, namespace, name }: ApiCall): string {
  const what =
    subresource === undefined ? groupResourceOf(resource) : `${groupResourceOf(resource)}/${subresource}`;
  const where = [namespace, name].filter((part) => part !== undefined).join("/");
  return where === "" ? `${verb} ${what}` : `${verb} ${what} ${where}`;
}

type Query = Readonly<Record<string, string | undefined>>;

export function selectionQuery({ labelSelector, fieldSelector }: Selection): Query {
  const labels = typeof labelSelector === "object" ? formatLabelSelector(labelSelector) : labelSelector;
  return { labelSelector: labels, fieldSelector };
}

export function listQuery(options: ListOptions): Query {
  return {
    ...selectionQuery(options),
    limit: options.limit?.toString(),
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  };
}

export function watchQuery(options: WatchOptions): Query {
  return {
    ...selectionQuery(options),
    watch: "true",
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
    allowWatchBookmarks: options.allowWatchBookmarks?.toString(),
    sendInitialEvents: options.sendInitialEvents?.toString(),
    timeoutSeconds: options.timeoutSeconds?.toString(),
  };
}

export function writeQuery({ dryRun, fieldOwner, fieldValidation }: WriteOptions): Query {
  return { dryRun: dryRun === true ? "All" : undefined, fieldManager: fieldOwner, fieldValidation };
}

export function applyQuery(options: ApplyOptions): Query {
  return { ...writeQuery(options), force: options.force?.toString() };
}

/** The options of a delete travel in its body. */
export function deleteBody({
  dryRun,
  gracePeriodSeconds,
  propagationPolicy,
  preconditions,
}: DeleteOptions): object {
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    ...(dryRun === true && { dryRun: ["All"] }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(preconditions !== undefined && { preconditions }),
  };
}
