import type { ObjectKey } from "@keelson/core";

/** Why a key was queued. Reconcilers must not act on it (law 3); it is for people who ask why something ran. */
export interface Trigger {
  /** What told of it, such as `owns deployments.apps`; `requeue` and `retry` for what the last run asked for. */
  readonly source: string;
  readonly type: "create" | "update" | "delete" | "generic" | "requeue" | "retry";
  /** The object that changed, which need not be the one that is reconciled. */
  readonly object?: ObjectKey & { readonly kind: string; readonly resourceVersion?: string };
  /** It was there when the controller started. */
  readonly isInitial?: boolean;
  /** The fields that an update changed, such as `spec.replicas`; worked out when it is asked for. */
  readonly changedPaths?: () => readonly string[];
}
