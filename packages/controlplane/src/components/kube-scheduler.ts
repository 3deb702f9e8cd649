import { fileIn, type Layout } from "../layout.ts";

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
