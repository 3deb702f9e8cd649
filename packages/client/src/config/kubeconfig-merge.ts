import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from "@keelson/core";

/**
 * Joins kubeconfigs as kubectl does: of clusters, users, contexts and extensions with the same name the first wins as
 * a whole, and the current context is the first that is set.
 */
export function mergeKubeconfigs(kubeconfigs: readonly Kubeconfig[]): Kubeconfig {
  const extensions = firstOfEachName(kubeconfigs.flatMap((kubeconfig) => kubeconfig.extensions ?? []));
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": kubeconfigs.map((kubeconfig) => kubeconfig["current-context"]).find(Boolean) ?? "",
    clusters: firstOfEachName(kubeconfigs.flatMap(({ clusters }) => clusters)),
    users: firstOfEachName(kubeconfigs.flatMap(({ users }) => users)),
    contexts: firstOfEachName(kubeconfigs.flatMap(({ contexts }) => contexts)),
    ...(extensions.length > 0 && { extensions }),
  };
}

/** Makes every path in a kubeconfig absolute: a relative one starts at the folder of the file it stands in. */
export function resolvePaths(kubeconfig: Kubeconfig, file: string): Kubeconfig {
  const folder = dirname(resolve(file));
  const absolute = (path: string): string => (path === "" || isAbsolute(path) ? path : join(folder, path));
  return {
    ...kubeconfig,
    clusters: kubeconfig.clusters.map(({ name, cluster }) => ({
      name,
      cluster: resolveCluster(cluster, absolute),
    })),
    users: kubeconfig.users.map(({ name, user }) => ({ name, user: resolveUser(user, absolute) })),
  };
}

type Resolve = (path: string) => string;
type Exec = NonNullable<KubeconfigUser["exec"]>;

function resolveCluster(cluster: KubeconfigCluster, absolute: Resolve): KubeconfigCluster {
  const { "certificate-authority": authority } = cluster;
  return authority === undefined ? cluster : { ...cluster, "certificate-authority": absolute(authority) };
}

function resolveUser(user: KubeconfigUser, absolute: Resolve): KubeconfigUser {
  const { "client-certificate": certificate, "client-key": key, tokenFile, exec } = user;
  return {
    ...user,
    ...(certificate !== undefined && { "client-certificate": absolute(certificate) }),
    ...(key !== undefined && { "client-key": absolute(key) }),
    ...(tokenFile !== undefined && { tokenFile: absolute(tokenFile) }),
    ...(exec !== undefined && { exec: resolveExec(exec, absolute) }),
  };
}

/** A bare name is looked up in PATH; anything else is a path. */
function resolveExec(exec: Exec, absolute: Resolve): Exec {
  return exec.command.includes(sep) ? { ...exec, command: absolute(exec.command) } : exec;
}

function firstOfEachName<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
): readonly Entry[] {
  const byName = new Map<string, Entry>();
  for (const entry of entries) if (!byName.has(entry.name)) byName.set(entry.name, entry);
  return [...byName.values()];
}
