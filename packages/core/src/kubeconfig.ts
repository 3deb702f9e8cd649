/**
 * A kubeconfig file as kubectl reads it (`v1`, kind `Config`). Only the format: reading, merging and following
 * credentials is the client's work.
 */
export interface Kubeconfig {
  readonly apiVersion: "v1";
  readonly kind: "Config";
  /** The name of the context to use; may be empty. */
  readonly "current-context": string;
  readonly clusters: readonly { readonly name: string; readonly cluster: KubeconfigCluster }[];
  readonly users: readonly { readonly name: string; readonly user: KubeconfigUser }[];
  readonly contexts: readonly { readonly name: string; readonly context: KubeconfigContext }[];
  /** What other programs keep in the file. */
  readonly extensions?: readonly KubeconfigExtension[];
}

export interface KubeconfigCluster {
  /** `https://host:port`, maybe with a path. */
  readonly server: string;
  /** The name that the server's certificate must carry, instead of the host in `server`. */
  readonly "tls-server-name"?: string;
  /** The server's certificate is not verified. */
  readonly "insecure-skip-tls-verify"?: boolean;
  /** A file with PEM; `certificate-authority-data` wins over it. */
  readonly "certificate-authority"?: string;
  /** PEM, base64-encoded once more. */
  readonly "certificate-authority-data"?: string;
  /** The proxy to go through, with the scheme `http`, `https` or `socks5`. */
  readonly "proxy-url"?: string;
  /** Whether the server must not compress its responses. */
  readonly "disable-compression"?: boolean;
  /** The one named `client.authentication.k8s.io/exec` is handed to exec plugins. */
  readonly extensions?: readonly KubeconfigExtension[];
}

export interface KubeconfigUser {
  /** A file with PEM; `client-certificate-data` wins over it. */
  readonly "client-certificate"?: string;
  /** PEM, base64-encoded once more. */
  readonly "client-certificate-data"?: string;
  /** A file with PEM; `client-key-data` wins over it. */
  readonly "client-key"?: string;
  /** PEM, base64-encoded once more. */
  readonly "client-key-data"?: string;
  readonly token?: string;
  /** A file with a token that may change; `token` is used only while the file cannot be read. */
  readonly tokenFile?: string;
  /** The user to impersonate; the other `as-…` fields need it. */
  readonly as?: string;
  readonly "as-uid"?: string;
  readonly "as-groups"?: readonly string[];
  readonly "as-user-extra"?: Readonly<Record<string, readonly string[]>>;
  readonly username?: string;
  readonly password?: string;
  /** Removed in Kubernetes 1.26, in favour of `exec`. */
  readonly "auth-provider"?: KubeconfigAuthProvider;
  readonly exec?: KubeconfigExec;
  readonly extensions?: readonly KubeconfigExtension[];
}

export interface KubeconfigContext {
  readonly cluster: string;
  /** May be empty: requests are then anonymous. */
  readonly user: string;
  readonly namespace?: string;
  readonly extensions?: readonly KubeconfigExtension[];
}

/** A command that prints credentials, in the format of `client.authentication.k8s.io`. */
export interface KubeconfigExec {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the environment of the program that runs the command. */
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  /** The version of the ExecCredential that the command must print. */
  readonly apiVersion?: string;
  /** Shown to people who do not have the command. */
  readonly installHint?: string;
  /** Whether the command gets the cluster in `KUBERNETES_EXEC_INFO`. */
  readonly provideClusterInfo?: boolean;
  /** `Never`, `IfAvailable` or `Always`: whether the command talks to a person. Version v1beta1 may leave it out. */
  readonly interactiveMode?: string;
}

export interface KubeconfigAuthProvider {
  readonly name: string;
  readonly config?: Readonly<Record<string, string>>;
}

export interface KubeconfigExtension {
  readonly name: string;
  readonly extension: unknown;
}
