import { type ApiCall, isDryRun } from "@keelson/client";
import {
  isRecord,
  isStatus,
  type KubeObject,
  type ObjectKey,
  type ObjectMeta,
  type Resource,
  type Stored,
} from "@keelson/core";
import { plainKey } from "../../watch/snapshot.ts";
import { isObjectOf } from "../representation.ts";

/** What the response to a write contains about the object that was written. */
export type WriteOutcome = StateOutcome | VersionOutcome | DeletedOutcome;

/** The object is now in this state. */
export interface StateOutcome {
  readonly type: "state";
  readonly object: Stored;
}

/** The object now has this version. */
interface VersionOutcome {
  readonly type: "version";
  readonly key: ObjectKey;
  readonly uid: string | undefined;
  readonly version: string;
}

/** The object does not exist any more. */
export interface DeletedOutcome {
  readonly type: "deleted";
  readonly key: ObjectKey;
  readonly uid: string;
  /** It existed in this version. */
  readonly version?: string | undefined;
  /** At this version it no longer existed. */
  readonly deletedBy?: string | undefined;
}

/**
 * The outcome of a write that succeeded. `nothing` if the object did not change, and `unknown` if it may have changed and
 * the response does not contain how, as with an eviction.
 */
export function outcomeOf(call: ApiCall, response: unknown): WriteOutcome | "nothing" | "unknown" {
  if (isDryRun(call)) return "nothing";
  if (isObjectOf(call.resource, response)) return outcomeFor(call, response);
  if (isStatus(response)) return outcomeOfStatus(call, response.details?.uid);
  const metadata: ObjectMeta = isRecord(response) && isRecord(response.metadata) ? response.metadata : {};
  const { uid, resourceVersion = "" } = metadata;
  // Such as a Scale. A response without a version, such as a requested token, is no state of the object.
  if (call.name === undefined || resourceVersion === "") return "nothing";
  return {
    type: "version",
    key: plainKey({ namespace: call.namespace, name: call.name }),
    uid,
    version: resourceVersion,
  };
}

function outcomeFor(call: ApiCall, object: Stored): WriteOutcome | "nothing" {
  // Aggregated API servers may omit the uid and the version.
  const { uid, deletionTimestamp, resourceVersion: version }: ObjectMeta = object.metadata;
  const isDeleted =
    call.verb === "delete" && call.subresource === undefined && deletionTimestamp === undefined;
  const isFinished = isDeleted || isReleased(call.resource, object);
  const key = plainKey(object.metadata);
  if (uid !== undefined && isFinished === true) return { type: "deleted", key, uid, version };
  if (version === undefined) return "nothing";
  return isFinished === undefined ? { type: "version", key, uid, version } : { type: "state", object };
}

/**
 * Whether the server has removed the object: one that is being deleted is removed as soon as no finalizer holds it, also
 * by an update that removes the last finalizer. Namespaces have finalizers in their spec as well, which their metadata
 * does not contain: then undefined.
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
): DeletedOutcome | "unknown" {
  const isDelete = verb === "delete" && subresource === undefined;
  if (!isDelete || name === undefined || uid === undefined) return "unknown";
  return { type: "deleted", key: plainKey({ namespace, name }), uid };
}
