import { type Client, discoverAll } from "@keelson/client";
import { type Resource, type ResourceUse, toError } from "@keelson/core";
import type { Logger } from "../../logger.ts";

/** The scope of a resource; undefined if it is unknown. */
export type ScopeOf = (use: Pick<ResourceUse, "group" | "resource">) => Resource["scope"] | undefined;

/**
 * The scopes of all resources that the server serves. If it does not report them, this is logged and no scope is known.
 * Throws only the signal's reason.
 */
export async function discoverScopes(client: Client, log: Logger, signal: AbortSignal): Promise<ScopeOf> {
  try {
    const discovered = await discoverAll(client, { signal });
    const scopes = new Map(discovered.map(({ group, plural, scope }) => [`${plural}.${group}`, scope]));
    return ({ group, resource }) => scopes.get(`${resource}.${group}`);
  } catch (error) {
    signal.throwIfAborted();
    log.warn("the API server did not report its resources; permissions are needed in all namespaces", {
      error: toError(error),
    });
    return () => undefined;
  }
}
