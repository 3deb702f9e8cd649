import type { Stored } from "keelson";
import type { ReloadRecord } from "../api/reload-record.ts";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import type { ResourceRef, WatchedResource } from "../resource/watched-resource.ts";
import type { ReloaderSettings } from "../settings.ts";
import type { WorkloadRef } from "../workload/workload-kind.ts";
import type { SpecProblem } from "./spec-problems.ts";

/** What a reconcile of a ReloaderConfig observed. Its status is made of this alone. */
export interface Observation {
  readonly config: Stored<ReloaderConfig>;
  /** By the annotation `ignore`. */
  readonly isIgnored: boolean;
  /** In the order of the spec, each workload once. */
  readonly targets: readonly ObservedTarget[];
  /** The watched resources that exist. */
  readonly resources: readonly WatchedResource[];
  /** The named resources that do not. */
  readonly missing: readonly ResourceRef[];
  /** The named resources that the settings of the operator leave out. */
  readonly unwatched: readonly ResourceRef[];
  readonly problems: readonly SpecProblem[];
  /** What keeps alert channels from being used, beside the spec. No text contains a URL. */
  readonly unresolvedAlerts: readonly string[];
  readonly settings: Pick<ReloaderSettings, "reloadStrategy" | "rolloutStrategy">;
  readonly nowMs: number;
}

/** A target as it is now. */
export interface ObservedTarget {
  readonly workload: WorkloadRef;
  readonly presence: "exists" | "missing" | "notServed";
  /** Why the target is never reloaded, such as a Job without the annotation for it. */
  readonly ineligibility?: string;
  /** The records of its pods: its own and, of a Rollout with a `workloadRef`, that of the Deployment. */
  readonly records: readonly Stored<ReloadRecord>[];
}
