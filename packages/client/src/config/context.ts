import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from "@keelson/core";
import { KubeconfigError } from "./errors.ts";

/** A context with what it names. */
export interface ResolvedContext {
  readonly contextName: string;
  readonly cluster: KubeconfigCluster;
  readonly userName: string;
  /** Empty for a context without a user: requests are anonymous. */
  readonly user: KubeconfigUser;
  readonly namespace: string;
}

export interface FindContextOptions {
  /** Default: the current context. */
  readonly contextName?: string;
  /** Where the kubeconfig came from, for errors. */
  readonly file?: string;
}

/** Follows a context to its cluster and its user; KubeconfigError if a link of that chain is missing. */
export function findContext(
  kubeconfig: Kubeconfig,
  { contextName = kubeconfig["current-context"], file }: FindContextOptions,
): ResolvedContext {
  const where = file === undefined ? {} : { file };
  if (contextName === "") {
    const advice = `set current-context or name a context; ${listKnown("contexts", kubeconfig.contexts)}`;
    throw new KubeconfigError({ ...where, problem: "no context is chosen", advice });
  }
  const fail = (problem: string, advice: string): KubeconfigError =>
    new KubeconfigError({ ...where, context: contextName, problem, advice });

  const context = byName(kubeconfig.contexts, contextName)?.context;
  if (context === undefined) {
    throw fail("there is no such context", listKnown("contexts", kubeconfig.contexts));
  }
  if (context.cluster === "") throw fail("it names no cluster", listKnown("clusters", kubeconfig.clusters));
  const cluster = byName(kubeconfig.clusters, context.cluster)?.cluster;
  if (cluster === undefined) {
    throw fail(`there is no cluster ${context.cluster}`, listKnown("clusters", kubeconfig.clusters));
  }
  const user = context.user === "" ? {} : byName(kubeconfig.users, context.user)?.user;
  if (user === undefined)
    throw fail(`there is no user ${context.user}`, listKnown("users", kubeconfig.users));
  return { contextName, cluster, userName: context.user, user, namespace: context.namespace ?? "default" };
}

function byName<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  name: string,
): Entry | undefined {
  return entries.find((entry) => entry.name === name);
}

function listKnown(what: string, entries: readonly { readonly name: string }[]): string {
  return entries.length === 0
    ? `it has no ${what}`
    : `its ${what} are ${entries.map(({ name }) => name).join(", ")}`;
}
