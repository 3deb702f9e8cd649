/** The settings of a replica: its first argument, as JSON. */
export interface ReplicaSettings {
  readonly kubeconfigPath: string;
  readonly namespace: string;
  /** Also the name of the ConfigMap that leaders write. */
  readonly lease: string;
  /** Also the user agent of all its requests. */
  readonly identity: string;
  /** How long the main thread of a leader is blocked at first. */
  readonly blocksForMs?: number;
}

/** A line that a replica prints. */
export type ReplicaLine =
  | { readonly type: "newLeader"; readonly leader: string }
  | { readonly type: "started" | "stopped" | "wrote" | "ended" }
  /** The guard refused a write. */
  | { readonly type: "refused"; readonly message: string }
  /** The Lease, as the main thread saw it right after it had been blocked. */
  | { readonly type: "blocked"; readonly wasRenewed: boolean; readonly isCertain: boolean }
  | { readonly type: "lost"; readonly message: string };
