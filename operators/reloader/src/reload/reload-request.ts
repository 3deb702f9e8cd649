import type { Client, Clock } from "keelson";
import type { JsonPatchOperation } from "keelson/low-level";
import type { AnnotationKeys } from "../api/annotation-keys.ts";
import type { Strategy } from "../decision/reload-policy.ts";
import type { ResourceRef } from "../resource/watched-resource.ts";
import type { Workload } from "../workload/workload.ts";

/** The hash that stands for a resource that does not exist. */
export const absent = "absent";

/** A resource whose content differs from that with which the pods of a workload were started. */
export interface ResourceChange {
  readonly resource: ResourceRef;
  /** The recorded hash, or `absent`. */
  readonly from: string;
  /** The hash now, or `absent`. */
  readonly to: string;
  /** Upstream's hash of the content now; undefined if the resource does not exist. */
  readonly upstreamHash: string | undefined;
  readonly isExplicit: boolean;
}

/** One reload of one workload, for all of its changes together. */
export interface ReloadRequest {
  readonly workload: Workload;
  readonly strategy: Strategy;
  /** Not empty; in the order of their names. */
  readonly changes: readonly ResourceChange[];
  /** RFC 3339 with milliseconds. Written to the template and to the record, so that each shows whether the other followed. */
  readonly time: string;
  /** The hash over all changes; that of the resource if there is one change. */
  readonly hash: string;
  /** How many reloads the record counted before this one, so that what a reload creates has one name however often it is tried. */
  readonly previousReloads: number;
  /** What else changes in the workload, in the same patch as its template: the pause of a Deployment. */
  readonly operations?: readonly JsonPatchOperation[];
}

/** What a reload needs. The context of a reconcile has it, beside the keys. */
export interface ReloadContext {
  /** Writes to workloads go through it, so that the next reconcile reads them. */
  readonly client: Client;
  /** Reads pods, ReplicaSets and Jobs: they are not cached. */
  readonly liveClient: Client;
  readonly clock: Clock;
  readonly keys: AnnotationKeys;
}
