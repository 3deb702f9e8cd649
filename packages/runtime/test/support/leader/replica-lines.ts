/** What a replica is told, as JSON, by its first argument. */
export interface ReplicaSettings {
  readonly kubeconfigPath: string;
  readonly namespace: string;
  /** Also the name of the ConfigMap that leaders write. */
  readonly lease: string;
  /** Also the user agent of all its requests. */
  readonly identity: string;
  /** A leader's main thread first stands still for so long. */
  readonly blocksForMs?: number;
}

/** A line that a replica prints. */
export type ReplicaLine =
  | { readonly type: "newLeader"; readonly leader: string }
  | { readonly type: "started" | "stopped" | "wrote" | "ended" }
  /** The guard did not let a write pass. */
  | { readonly type: "refused"; readonly message: string }
  /** The lease, as the main thread saw it right after it had stood still. */
  | { readonly type: "blocked"; readonly wasRenewed: boolean; readonly isCertain: boolean }
  | { readonly type: "lost"; readonly message: string };
