import { etcdUrl, fileIn, type Layout } from "../layout.ts";

/** The name in the certificate with which the API server calls aggregated API servers. */
export const frontProxyUser = "front-proxy-client";

export interface ApiServerSettings {
  /** Whether kube-controller-manager runs and so makes the ServiceAccount that every pod is to have. */
  readonly hasServiceAccounts: boolean;
}

export function apiServerArgs(layout: Layout, settings: ApiServerSettings): readonly string[] {
  return [
    `--etcd-servers=${etcdUrl(layout)}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    `--secure-port=${layout.ports.apiServer}`,
    `--tls-cert-file=${fileIn(layout, "servingCertificate")}`,
    `--tls-private-key-file=${fileIn(layout, "servingKey")}`,
    `--client-ca-file=${fileIn(layout, "authorityCertificate")}`,
    // Lets aggregated API servers and the controllers trust who this server says is asking.
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
