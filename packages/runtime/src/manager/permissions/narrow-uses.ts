import type { ResourceUse } from "@keelson/core";
import { allNamespaces, type CacheSettings, namespacesOf } from "../../cache/cache-settings.ts";
import type { NeededUse } from "./needed-uses.ts";
import type { ScopeOf } from "./resource-scopes.ts";

/**
 * The uses of a manager that is limited to some namespaces: a use of a namespaced resource that names no namespace is
 * needed in each of them. Uses of cluster-scoped resources, and of those whose scope is unknown, stay as they are.
 */
export function narrowUses(
  needed: readonly NeededUse[],
  settings: CacheSettings | undefined,
  scopeOf: ScopeOf,
): readonly NeededUse[] {
  return needed.flatMap((each) => {
    const { use, neededBy } = each;
    if ("nonResourceUrl" in use || use.namespace !== undefined || scopeOf(use) !== "Namespaced") return each;
    const namespaces = namespacesFor(use, settings);
    return namespaces?.map((namespace) => ({ use: { ...use, namespace }, neededBy })) ?? each;
  });
}

/** The namespaces of the settings, and those in which the kind is cached beside them; undefined if they include all. */
function namespacesFor(
  { group, resource }: ResourceUse,
  settings: CacheSettings = {},
): readonly string[] | undefined {
  const { kinds = [] } = settings;
  const general = namespacesOf(settings);
  if (general === undefined) return undefined;
  const ofKind = kinds
    .filter(({ resource: kind }) => kind.group === group && kind.plural === resource)
    .flatMap((kind) => Object.keys(kind.settings.namespaces ?? {}));
  const namespaces = new Set([...general, ...ofKind]);
  return namespaces.has(allNamespaces) ? undefined : [...namespaces];
}
