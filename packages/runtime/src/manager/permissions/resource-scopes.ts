import { type Client, discoverAll } from "@keelson/client";
import { type Resource, type ResourceUse, toError } from "@keelson/core";
import type { Logger } from "../../logger.ts";

/** The scope of a resource; undefined if it is unknown. */
export type ScopeOf = (use: Pick<ResourceUse, "group" | "resource">) => Resource["scope"] | undefined;

/** The scopes of these resources. */
export function scopesOfResources(resources: readonly Resource[]): ScopeOf {
  const scopes = new Map(resources.map(({ group, plural, scope }) => [`${plural}.${group}`, scope]));
  return ({ group, resource }) => scopes.get(`${resource}.${group}`);
}

/**
 * The scopes of the known resources and of all others that the server serves. If it does not report these, this is logged
 * and their scopes stay unknown. Throws only the signal's reason.
 */
export async function discoverScopes(
  client: Client,
  known: ScopeOf,
  log: Logger,
  signal: AbortSignal,
): Promise<ScopeOf> {
  try {
    const discovered = scopesOfResources(await discoverAll(client, { signal }));
    // Discovery may not include a kind yet that was installed a moment ago.
    return (use) => known(use) ?? discovered(use);
  } catch (error) {
    signal.throwIfAborted();
    log.warn("the API server did not report its resources; some permissions are needed in all namespaces", {
      error: toError(error),
    });
    return known;
  }
}
