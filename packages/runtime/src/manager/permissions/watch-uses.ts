import type { ResourceUse } from "@keelson/core";
import { scopeFor, scopesOf } from "../../cache/cache-scopes.ts";
import type { CacheSettings } from "../../cache/cache-settings.ts";
import type { Source, WatchedObjects } from "../../source/source.ts";

/** What the watches of a controller need: to list and to watch each kind, where the cache's settings have it watched. */
export function usesOfSources<Key>(
  sources: readonly Source<Key>[],
  settings: CacheSettings = {},
): readonly ResourceUse[] {
  return sources.flatMap(({ watches }) => (watches === undefined ? [] : usesOfWatch(watches, settings)));
}

function usesOfWatch(
  { resource, selection }: WatchedObjects,
  settings: CacheSettings,
): readonly ResourceUse[] {
  const scopes =
    selection === undefined ? scopesOf(resource, settings) : [scopeFor(resource, settings, selection)];
  return scopes.flatMap(({ selection: { namespace } }) =>
    ["list", "watch"].map((verb) => ({
      verb,
      group: resource.group,
      resource: resource.plural,
      ...(namespace !== undefined && { namespace }),
    })),
  );
}
