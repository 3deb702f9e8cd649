import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Kubeconfig } from "@keelson/core";
import type { CertificateAuthority, Identity, KeyPair } from "./certificate-authority.ts";

/** Access to the API server as one user. */
export interface Access {
  readonly kubeconfig: Kubeconfig;
  readonly kubeconfigPath: string;
}

/** Issues a client certificate for the identity and writes a kubeconfig with it. */
export async function issueAccess(
  authority: CertificateAuthority,
  server: string,
  identity: Identity,
  kubeconfigPath: string,
): Promise<Access & { readonly credentials: KeyPair }> {
  const credentials = await authority.issueClient(identity);
  const kubeconfig = makeKubeconfig(server, authority.pair.certificate, identity.user, credentials);
  await mkdir(dirname(kubeconfigPath), { recursive: true });
  // JSON is YAML, and kubectl reads it. Only the owner may: the file holds a private key.
  await writeFile(kubeconfigPath, `${JSON.stringify(kubeconfig, undefined, 2)}\n`, { mode: 0o600 });
  return { kubeconfig, kubeconfigPath, credentials };
}

function makeKubeconfig(server: string, authority: string, user: string, credentials: KeyPair): Kubeconfig {
  const cluster = "keelson";
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": cluster,
    clusters: [{ name: cluster, cluster: { server, "certificate-authority-data": base64(authority) } }],
    users: [
      {
        name: user,
        user: {
          "client-certificate-data": base64(credentials.certificate),
          "client-key-data": base64(credentials.key),
        },
      },
    ],
    contexts: [{ name: cluster, context: { cluster, user } }],
  };
}

function base64(pem: string): string {
  return Buffer.from(pem).toString("base64");
}
