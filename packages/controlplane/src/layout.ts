import { join } from "node:path";

/** Where one control plane keeps its files and on which ports of 127.0.0.1 it listens. */
export interface Layout {
  readonly folder: string;
  readonly ports: {
    readonly etcdClients: number;
    readonly etcdPeers: number;
    readonly apiServer: number;
    readonly controllerManager: number;
    readonly scheduler: number;
  };
}

/** File names inside the folder, one place for those who write and those who read them. */
export const fileNames = {
  authorityCertificate: "pki/authority.crt",
  authorityKey: "pki/authority.key",
  servingCertificate: "pki/serving.crt",
  servingKey: "pki/serving.key",
  frontProxyAuthority: "pki/front-proxy-authority.crt",
  frontProxyCertificate: "pki/front-proxy-client.crt",
  frontProxyKey: "pki/front-proxy-client.key",
  tokenPublicKey: "pki/service-account.pub",
  tokenPrivateKey: "pki/service-account.key",
  adminKubeconfig: "admin.kubeconfig",
  controllerManagerKubeconfig: "kube-controller-manager.kubeconfig",
  schedulerKubeconfig: "kube-scheduler.kubeconfig",
  etcdData: "etcd",
  logs: "logs",
  users: "users",
  kubectlCache: "kubectl-cache",
} as const;

export function fileIn(layout: Pick<Layout, "folder">, name: keyof typeof fileNames): string {
  return join(layout.folder, fileNames[name]);
}

export function apiServerUrl(layout: Layout): string {
  return `https://127.0.0.1:${layout.ports.apiServer}`;
}

export function etcdUrl(layout: Layout): string {
  return `http://127.0.0.1:${layout.ports.etcdClients}`;
}
