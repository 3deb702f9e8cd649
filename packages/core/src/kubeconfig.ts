/**
 * A kubeconfig file as kubectl reads it (`v1`, kind `Config`). Only the format: reading, merging and following
 * credentials is the client's work.
 */
export interface Kubeconfig {
  readonly apiVersion: "v1";
  readonly kind: "Config";
  readonly "current-context": string;
  readonly clusters: readonly { readonly name: string; readonly cluster: KubeconfigCluster }[];
  readonly users: readonly { readonly name: string; readonly user: KubeconfigUser }[];
  readonly contexts: readonly { readonly name: string; readonly context: KubeconfigContext }[];
}

export interface KubeconfigCluster {
  readonly server: string;
  /** PEM, base64-encoded once more. */
  readonly "certificate-authority-data"?: string;
}

export interface KubeconfigUser {
  /** PEM, base64-encoded once more. */
  readonly "client-certificate-data"?: string;
  /** PEM, base64-encoded once more. */
  readonly "client-key-data"?: string;
  readonly token?: string;
}

export interface KubeconfigContext {
  readonly cluster: string;
  readonly user: string;
  readonly namespace?: string;
}
