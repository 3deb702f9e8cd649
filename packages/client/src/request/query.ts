import { formatLabelSelector } from "@keelson/core";
import type {
  ApplyOptions,
  DeleteOptions,
  ListOptions,
  Selection,
  WatchOptions,
  WriteOptions,
} from "../client.ts";

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
