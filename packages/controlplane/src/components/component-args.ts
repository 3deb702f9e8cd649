import { etcdUrl, fileIn, type Layout } from "../layout.ts";

/** Command line of etcd, with one member. Its data survives a crash of the process, but, without fsync, not of the machine. */
export function etcdArgs(layout: Layout): readonly string[] {
  const peers = `http://127.0.0.1:${layout.ports.etcdPeers}`;
  return [
    "--name=keelson",
    `--data-dir=${fileIn(layout, "etcdData")}`,
    `--listen-client-urls=${etcdUrl(layout)}`,
    `--advertise-client-urls=${etcdUrl(layout)}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=keelson=${peers}`,
    "--unsafe-no-fsync",
  ];
}

/** The name in the certificate with which the API server calls aggregated API servers. */
export const frontProxyUser = "front-proxy-client";

export interface ApiServerSettings {
  /** Whether kube-controller-manager runs and so makes the ServiceAccount that every pod is to have. */
  readonly hasServiceAccounts: boolean;
}

/** Command line of kube-apiserver. */
export function apiServerArgs(layout: Layout, settings: ApiServerSettings): readonly string[] {
  return [
    `--etcd-servers=${etcdUrl(layout)}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    `--secure-port=${layout.ports.apiServer}`,
    `--tls-cert-file=${fileIn(layout, "servingCertificate")}`,
    `--tls-private-key-file=${fileIn(layout, "servingKey")}`,
    `--client-ca-file=${fileIn(layout, "authorityCertificate")}`,
    // Lets aggregated API servers and the controllers trust the user that this server names in its headers.
    `--requestheader-client-ca-file=${fileIn(layout, "frontProxyAuthority")}`,
    `--requestheader-allowed-names=${frontProxyUser}`,
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--proxy-client-cert-file=${fileIn(layout, "frontProxyCertificate")}`,
    `--proxy-client-key-file=${fileIn(layout, "frontProxyKey")}`,
    "--authorization-mode=Node,RBAC",
    "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
    `--service-account-key-file=${fileIn(layout, "tokenPublicKey")}`,
    `--service-account-signing-key-file=${fileIn(layout, "tokenPrivateKey")}`,
    "--service-cluster-ip-range=10.96.0.0/16",
    "--allow-privileged",
    // An address on loopback may not be an endpoint; without this the server tries for ever.
    "--endpoint-reconciler-type=none",
    // With it and without the controller every pod would be refused.
    ...(settings.hasServiceAccounts ? [] : ["--disable-admission-plugins=ServiceAccount"]),
  ];
}

/** Command line of kube-controller-manager. */
export function controllerManagerArgs(layout: Layout): readonly string[] {
  const kubeconfig = fileIn(layout, "controllerManagerKubeconfig");
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${layout.ports.controllerManager}`,
    `--tls-cert-file=${fileIn(layout, "servingCertificate")}`,
    `--tls-private-key-file=${fileIn(layout, "servingKey")}`,
    "--leader-elect=false",
    // The default of 20 requests a second makes the start alone take five seconds.
    "--kube-api-qps=1000",
    "--kube-api-burst=2000",
    "--use-service-account-credentials",
    `--service-account-private-key-file=${fileIn(layout, "tokenPrivateKey")}`,
    `--root-ca-file=${fileIn(layout, "authorityCertificate")}`,
    `--cluster-signing-cert-file=${fileIn(layout, "authorityCertificate")}`,
    `--cluster-signing-key-file=${fileIn(layout, "authorityKey")}`,
  ];
}

/** Command line of kube-scheduler. */
export function schedulerArgs(layout: Layout): readonly string[] {
  const kubeconfig = fileIn(layout, "schedulerKubeconfig");
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${layout.ports.scheduler}`,
    `--tls-cert-file=${fileIn(layout, "servingCertificate")}`,
    `--tls-private-key-file=${fileIn(layout, "servingKey")}`,
    "--leader-elect=false",
    "--kube-api-qps=1000",
    "--kube-api-burst=2000",
  ];
}
