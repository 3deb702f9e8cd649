import type { Access } from "@keelson/controlplane";
import type { ClusterAccess } from "../../src/config/cluster-access.ts";

/** The way to the API server that a control plane's kubeconfig describes. */
export function accessOf({ kubeconfig }: Access): ClusterAccess {
  const pem = (data: string | undefined): string => Buffer.from(data ?? "", "base64").toString("utf8");
  const { server, "certificate-authority-data": ca } = kubeconfig.clusters[0]?.cluster ?? { server: "" };
  const { "client-certificate-data": cert, "client-key-data": key } = kubeconfig.users[0]?.user ?? {};
  return {
    server,
    namespace: "default",
    tls: async () => ({ ca: pem(ca), cert: pem(cert), key: pem(key), insecure: false }),
    headers: async () => ({}),
    refused: () => undefined,
  };
}
