import type { Stored } from "keelson";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import type { Target } from "../api/spec.ts";
import type { ResourceRef } from "../resource/watched-resource.ts";

/** Why a resource counts for a workload. */
export interface Match {
  readonly resource: ResourceRef;
  /** It was named, so it need not be referenced. Otherwise a container uses it. */
  readonly isExplicit: boolean;
  readonly origin: MatchOrigin;
}

/** What the match comes from: annotations of the workload, or a target of a ReloaderConfig. */
export type MatchOrigin =
  | { readonly type: "annotations" }
  | { readonly type: "config"; readonly config: Stored<ReloaderConfig>; readonly target: Target };
