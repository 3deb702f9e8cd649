import type { ApiCall } from "@keelson/client";
import {
  isRecord,
  isStatus,
  type KubeObject,
  type ObjectKey,
  type ObjectMeta,
  type Resource,
} from "@keelson/core";
import { isObjectOf, keyFrom } from "./resource-identity.ts";

/** What the answer to a write tells about the object that was written. */
export type WriteOutcome = StateOutcome | VersionOutcome | GoneOutcome;

/** This is what it looks like now. */
export interface StateOutcome {
  readonly type: "state";
  readonly object: KubeObject;
}

/** It has this version now. */
interface VersionOutcome {
  readonly type: "version";
  readonly key: ObjectKey;
  readonly uid: string | undefined;
  readonly version: string;
}

/** It does not exist any more. */
export interface GoneOutcome {
  readonly type: "gone";
  readonly key: ObjectKey;
  readonly uid: string;
  /** It existed in this version. */
  readonly version?: string | undefined;
  /** By this version it was gone. */
  readonly goneBy?: string | undefined;
}

/**
 * What came of a write that was carried out. `nothing` if the object did not change, and `unsaid` if it may have and
 * the answer does not tell how, as with an eviction.
 */
export function outcomeOf(call: ApiCall, answer: unknown): WriteOutcome | "nothing" | "unsaid" {
  if (isDryRun(call)) return "nothing";
  if (isObjectOf(call.resource, answer)) return outcomeFor(call, answer);
  if (isStatus(answer)) return outcomeOfStatus(call, answer.details?.uid);
  const metadata: ObjectMeta = isRecord(answer) && isRecord(answer.metadata) ? answer.metadata : {};
  const { uid, resourceVersion = "" } = metadata;
  // Such as a Scale. What has no version, such as a token that was asked for, is no state of the object.
  if (call.name === undefined || resourceVersion === "") return "nothing";
  return { type: "version", key: keyFrom(call.namespace, call.name), uid, version: resourceVersion };
}

/** A dry run is asked for in the query, or, by deletes, in the body. */
export function isDryRun({ query, body }: ApiCall): boolean {
  const options = body?.value;
  return (
    query.dryRun !== undefined ||
    (isRecord(options) && options.kind === "DeleteOptions" && options.dryRun !== undefined)
  );
}

function outcomeFor(call: ApiCall, object: KubeObject): WriteOutcome | "nothing" {
  const { namespace, name = "", uid, deletionTimestamp, resourceVersion: version } = object.metadata;
  const isDeleted =
    call.verb === "delete" && call.subresource === undefined && deletionTimestamp === undefined;
  const isFinished = isDeleted || isReleased(call.resource, object);
  const key = keyFrom(namespace, name);
  if (uid !== undefined && isFinished === true) return { type: "gone", key, uid, version };
  if (version === undefined) return "nothing";
  return isFinished === undefined ? { type: "version", key, uid, version } : { type: "state", object };
}

/**
 * The server removes an object that is to be deleted as soon as nothing holds it, also when the write was an update
 * that took the last finalizer away. Namespaces have finalizers in their spec as well, which their metadata does not
 * tell: then undefined.
 */
function isReleased(resource: Resource, object: KubeObject): boolean | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds > 0 || finalizers.length > 0)
    return false;
  if (resource.group !== "" || resource.plural !== "namespaces") return true;
  if (resource.isMetadataOnly === true) return undefined;
  const spec = "spec" in object && isRecord(object.spec) ? object.spec : {};
  return !(Array.isArray(spec.finalizers) && spec.finalizers.length > 0);
}

function outcomeOfStatus(
  { verb, subresource, namespace, name }: ApiCall,
  uid: string | undefined,
): GoneOutcome | "unsaid" {
  const isDelete = verb === "delete" && subresource === undefined;
  if (!isDelete || name === undefined || uid === undefined) return "unsaid";
  return { type: "gone", key: keyFrom(namespace, name), uid };
}
