import { KeelsonError } from "keelson";
import type { Kubeconfig } from "keelson/client";
import { isRecord } from "keelson/low-level";
import { parseYaml, yamlText } from "../yaml-text.ts";

/** By which client users log in. */
export interface OidcLogin {
  readonly issuerUrl: string;
  readonly clientId: string;
}

/** The kubeconfig of an administrator does not say where the cluster is. */
export class AdminKubeconfigError extends KeelsonError {
  static override readonly brand: string = "@keelson/azimuth-capi.AdminKubeconfigError";
  readonly code = "ADMIN_KUBECONFIG";

  constructor(problem: string) {
    super(`make the kubeconfig for users: the kubeconfig of the administrator ${problem}`);
  }
}

const user = "oidc";

/**
 * The kubeconfig that users of a cluster get: its first cluster is that of the administrator's, and nothing else is taken from
 * there. kubectl runs its plugin oidc-login, which shows users a code to log in with. Equal input gives equal text.
 */
export function userKubeconfig(adminKubeconfig: string, { issuerUrl, clientId }: OidcLogin): string {
  const { name, cluster } = firstCluster(adminKubeconfig);
  const context = `${user}@${name}`;
  const args = [
    ...["oidc-login", "get-token", "--grant-type=device-code"],
    ...[`--oidc-issuer-url=${issuerUrl}`, `--oidc-client-id=${clientId}`],
  ];
  const exec = { apiVersion: "client.authentication.k8s.io/v1beta1", command: "kubectl", args };
  return yamlText({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster }],
    users: [{ name: user, user: { exec } }],
    contexts: [{ name: context, context: { cluster: name, user } }],
    "current-context": context,
    preferences: {},
  } satisfies Omit<Kubeconfig, "clusters"> & Record<string, unknown>);
}

/** The cluster as it is written, with fields that we do not know. */
function firstCluster(text: string): { readonly name: string; readonly cluster: object } {
  const kubeconfig = parseYaml(text, "the kubeconfig of the administrator", "typed");
  const clusters = isRecord(kubeconfig) ? kubeconfig.clusters : undefined;
  const first: unknown = Array.isArray(clusters) ? clusters[0] : undefined;
  if (!isRecord(first)) throw new AdminKubeconfigError("has no clusters");
  const { name, cluster } = first;
  if (typeof name !== "string" || name === "" || !isRecord(cluster))
    throw new AdminKubeconfigError("has a cluster without a name, or without an address");
  return { name, cluster };
}
