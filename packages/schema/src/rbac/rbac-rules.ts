import type { ApiUse } from "@keelson/core";
import type { PolicyRule } from "@keelson/core/kinds/rbac/v1";
import { compareText } from "../canonical-json.ts";
import {
  coversResource,
  coversUrl,
  isResourceUse,
  type ResourceGrant,
  resourceGrantOf,
  type UrlGrant,
  urlGrantOf,
} from "./grant.ts";

export interface RbacRulesOptions {
  /**
   * `true`: only what is used inside a namespace and needs no ClusterRole for another reason, for Roles.
   * `false`: only what is used across namespaces or outside of them, for a ClusterRole beside those Roles.
   * Default: all of it, for one ClusterRole.
   */
  readonly namespaced?: boolean;
}

/**
 * Rules that allow these uses and nothing else, merged as far as they go and in one order, whatever the order of the
 * uses. A use for one name gives a rule for that name; leave names out of uses that stand for objects not known in advance.
 */
export function rbacRules(uses: readonly ApiUse[], options: RbacRulesOptions = {}): readonly PolicyRule[] {
  const { namespaced } = options;
  const resourceUses = uses.filter(isResourceUse);
  const inNamespace = resourceUses.filter(({ namespace }) => namespace !== undefined).map(resourceGrantOf);
  const elsewhere = resourceUses.filter(({ namespace }) => namespace === undefined).map(resourceGrantOf);
  if (namespaced === true) {
    return resourceRules(
      inNamespace.filter((grant) => !elsewhere.some((other) => coversResource(other, grant))),
    );
  }
  const urls = uses.flatMap((use) => (isResourceUse(use) ? [] : [urlGrantOf(use)]));
  const grants = namespaced === false ? elsewhere : [...elsewhere, ...inNamespace];
  return [...resourceRules(grants), ...urlRules(urls)];
}

/**
 * Each rule stands for every combination of what it lists, so things may share one only where all else about them is
 * equal: first the verbs of a resource and name, then the names, then the resources.
 */
function resourceRules(grants: readonly ResourceGrant[]): readonly PolicyRule[] {
  const needed = withoutCovered(grants, coversResource);
  const byObject = merge(
    needed,
    ({ group, resource, name }) => [group, resource, name ?? null],
    ({ verb }) => verb,
  );
  const verbsOfObjects = byObject.map(({ items: [first], values }) => ({
    ...first,
    verbs: sortVerbs(values),
  }));
  const byVerbs = merge(
    verbsOfObjects,
    ({ group, resource, verbs, name }) => [group, resource, verbs, name === undefined],
    ({ name }) => name,
  );
  const namesOfVerbs = byVerbs.map(({ items: [first], values }) => ({ ...first, names: defined(values) }));
  const byNames = merge(
    namesOfVerbs,
    ({ group, verbs, names }) => [group, verbs, names],
    ({ resource }) => resource,
  );
  return byNames
    .map(({ items: [{ group, verbs, names }], values }) => ({
      apiGroups: [group],
      resources: values.toSorted(compareText),
      ...(names.length > 0 && { resourceNames: names }),
      verbs,
    }))
    .toSorted(compareRules);
}

function urlRules(grants: readonly UrlGrant[]): readonly PolicyRule[] {
  const needed = withoutCovered(grants, coversUrl);
  const byUrl = merge(
    needed,
    ({ url }) => [url],
    ({ verb }) => verb,
  );
  const verbsOfUrls = byUrl.map(({ items: [{ url }], values }) => ({ url, verbs: sortVerbs(values) }));
  return merge(
    verbsOfUrls,
    ({ verbs }) => verbs,
    ({ url }) => url,
  )
    .map(({ items: [{ verbs }], values }) => ({ nonResourceURLs: values.toSorted(compareText), verbs }))
    .toSorted(compareRules);
}

/** Of equal grants the first stays. */
function withoutCovered<T>(grants: readonly T[], covers: (grant: T, other: T) => boolean): readonly T[] {
  return grants.filter((grant, index) => {
    return !grants.some(
      (other, place) => place !== index && covers(other, grant) && (place < index || !covers(grant, other)),
    );
  });
}

interface Merged<T, V> {
  readonly items: readonly [T, ...T[]];
  /** What the items differ in. */
  readonly values: readonly V[];
}

function merge<T, V>(
  items: readonly T[],
  keyOf: (item: T) => readonly unknown[],
  pick: (item: T) => V,
): readonly Merged<T, V>[] {
  const merged = new Map<string, Merged<T, V>>();
  for (const item of items) {
    const key = JSON.stringify(keyOf(item));
    const known = merged.get(key);
    const value = pick(item);
    merged.set(
      key,
      known === undefined
        ? { items: [item], values: [value] }
        : { items: [...known.items, item], values: [...known.values, value] },
    );
  }
  return [...merged.values()];
}

const usualOrder = ["*", "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];

/** Reading before writing, as people write them; others behind. */
function sortVerbs(verbs: readonly string[]): readonly string[] {
  const place = (verb: string): number =>
    usualOrder.includes(verb) ? usualOrder.indexOf(verb) : usualOrder.length;
  return verbs.toSorted((a, b) => place(a) - place(b) || compareText(a, b));
}

function defined(names: readonly (string | undefined)[]): readonly string[] {
  return names.filter((name) => name !== undefined).sort(compareText);
}

function compareRules(a: PolicyRule, b: PolicyRule): number {
  return compareText(JSON.stringify(a), JSON.stringify(b));
}
