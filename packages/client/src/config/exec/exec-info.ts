import type { KubeconfigCluster } from "@keelson/core";

export interface ExecInfoInput {
  readonly apiVersion: string;
  readonly isInteractive: boolean;
  /** Left out unless the kubeconfig says that the plugin is to know the cluster. */
  readonly cluster?: ExecCluster;
}

/** A cluster as it is passed to exec plugins. */
export interface ExecCluster {
  readonly server: string;
  readonly "tls-server-name"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "certificate-authority-data"?: string;
  readonly "proxy-url"?: string;
  readonly "disable-compression"?: boolean;
  readonly config?: unknown;
}

const extensionName = "client.authentication.k8s.io/exec";

/** `ca` is PEM, wherever the kubeconfig has it. */
export function makeExecCluster(cluster: KubeconfigCluster, ca: string | undefined): ExecCluster {
  const { server, extensions = [] } = cluster;
  const { "tls-server-name": serverName, "proxy-url": proxyUrl } = cluster;
  const config = extensions.find(({ name }) => name === extensionName)?.extension;
  return {
    server,
    ...(serverName !== undefined && { "tls-server-name": serverName }),
    ...(cluster["insecure-skip-tls-verify"] === true && { "insecure-skip-tls-verify": true }),
    ...(ca !== undefined && { "certificate-authority-data": Buffer.from(ca).toString("base64") }),
    ...(proxyUrl !== undefined && { "proxy-url": proxyUrl }),
    ...(cluster["disable-compression"] === true && { "disable-compression": true }),
    ...(config !== undefined && { config }),
  };
}

/** The value of `KUBERNETES_EXEC_INFO`. */
export function makeExecInfo({ apiVersion, isInteractive, cluster }: ExecInfoInput): string {
  const spec = { interactive: isInteractive, ...(cluster !== undefined && { cluster }) };
  return JSON.stringify({ kind: "ExecCredential", apiVersion, spec });
}
