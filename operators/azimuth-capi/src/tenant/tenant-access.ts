import type { Clock } from "keelson";
import {
  accessFromKubeconfig,
  type ClusterAccess,
  type Kubeconfig,
  KubeconfigError,
  loadKubeconfig,
} from "keelson/client";

export interface TenantAccessOptions {
  /** Where the kubeconfig came from, for errors, such as `shop/demo-kubeconfig`. */
  readonly name: string;
  readonly clock: Clock;
  /** Is called with what is unsafe and does not keep the connection from working. */
  readonly onWarning: (message: string) => void;
}

/**
 * The access that the kubeconfig of a tenant cluster describes: by a client certificate, a token or a password, all of
 * them in the text. A KubeconfigError if it is something else, above all if it names a program or a file: this process
 * has more rights than those who write the kubeconfig, so it neither runs nor reads anything for them.
 */
export async function tenantAccess(text: string, options: TenantAccessOptions): Promise<ClusterAccess> {
  const { name, clock, onWarning } = options;
  const { kubeconfig } = await loadKubeconfig({ env: {}, path: name, readFile: async () => text });
  const refused = firstReference(kubeconfig);
  if (refused !== undefined)
    throw new KubeconfigError({
      file: name,
      problem: `it has ${refused}, which is not used for tenant clusters`,
      advice: "write certificates, keys and tokens into the kubeconfig itself",
    });
  return accessFromKubeconfig(kubeconfig, {
    clock,
    file: name,
    // Nothing is left that needs these. A field that the check above does not know must not get the real ones.
    env: {},
    readFile: async (path) => {
      throw new Error(`${path} is not read`);
    },
    runCommand: async () => ({ end: { kind: "not-started", code: "EACCES" }, stdout: "", stderr: "" }),
    onWarning,
  });
}

const userReferences = ["exec", "auth-provider", "client-certificate", "client-key", "tokenFile"] as const;

/** What refers to a program or a file, in any user or cluster: Cluster API writes one of each. */
function firstReference({ users, clusters }: Kubeconfig): string | undefined {
  for (const { name, user } of users) {
    const field = userReferences.find((reference) => user[reference] !== undefined);
    if (field !== undefined) return `a user ${name} with ${field}`;
  }
  const outside = clusters.find(({ cluster }) => cluster["certificate-authority"] !== undefined);
  return outside === undefined ? undefined : `a cluster ${outside.name} with certificate-authority`;
}
