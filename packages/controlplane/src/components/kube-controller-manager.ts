import { fileIn, type Layout } from "../layout.ts";

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
