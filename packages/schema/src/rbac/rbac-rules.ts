import { type ApiUse, compareText } from "@keelson/core";
import type { ClusterRole, PolicyRule, Role } from "@keelson/core/kinds/rbac/v1";
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
   * Whose uses the rules are for. A namespace (`{ namespace: "shop" }`): what is used in it and is not allowed by the
   * rules for `"cluster"` already, for a Role there. `"cluster"`: what is used across namespaces or outside of them,
   * for a ClusterRole beside those Roles. Default: all of it, for one ClusterRole, which allows in every namespace what
   * is used in one.
   */
  readonly for?: "cluster" | { readonly namespace: string };
}

/**
 * Rules that allow these uses and, where they are bound, no other: merged as far as they go, and in one order, whatever
 * the order of the uses. A use for one name gives a rule for that name; leave names out of uses that stand for
 * objects not known in advance.
 */
export function rbacRules(uses: readonly ApiUse[], options: RbacRulesOptions = {}): readonly PolicyRule[] {
  const resourceUses = uses.filter(isResourceUse);
  const everywhere = resourceUses.filter(({ namespace }) => namespace === undefined).map(resourceGrantOf);
  if (typeof options.for === "object") {
    const { namespace } = options.for;
    const there = resourceUses.filter((use) => use.namespace === namespace).map(resourceGrantOf);
    return resourceRules(there.filter((grant) => !everywhere.some((other) => coversResource(other, grant))));
  }
  const urls = uses.flatMap((use) => (isResourceUse(use) ? [] : [urlGrantOf(use)]));
  const grants = options.for === "cluster" ? everywhere : resourceUses.map(resourceGrantOf);
  return [...resourceRules(grants), ...urlRules(urls)];
}

/**
 * Each rule stands for every combination of what it lists, so things may share one only where all else about them is
 * equal: first the verbs of a resource and name, then the names, then the resources of a group, then the groups.
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
  const resourcesOfNames = byNames.map(({ items: [first], values }) => ({
    ...first,
    resources: values.toSorted(compareText),
  }));
  const byResources = merge(
    resourcesOfNames,
    ({ resources, verbs, names }) => [resources, verbs, names],
    ({ group }) => group,
  );
  return byResources
    .map(({ items: [{ resources, verbs, names }], values }) => ({
      apiGroups: values.toSorted(compareText),
      resources,
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

/** Verbs that read before verbs that write, as people write them; unknown verbs last. */
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

/**
 * Whether one of the rules allows the use, as the API server decides it. Rules know nothing of namespaces: where they
 * hold is said by the binding.
 */
export function allows(rules: readonly PolicyRule[], use: ApiUse): boolean {
  return rules.some((rule) => rule.verbs.some((verb) => allowsVerb(rule, verb, use)));
}

function allowsVerb(rule: PolicyRule, verb: string, use: ApiUse): boolean {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (!isResourceUse(use)) {
    return nonResourceURLs.some((url) => coversUrl({ verb, url }, urlGrantOf(use)));
  }
  const wanted = resourceGrantOf(use);
  const names = resourceNames.length === 0 ? [{}] : resourceNames.map((name) => ({ name }));
  return apiGroups.some((group) =>
    resources.some((resource) =>
      names.some((name) => coversResource({ verb, group, resource, ...name }, wanted)),
    ),
  );
}

const apiVersion = "rbac.authorization.k8s.io/v1";

export function makeClusterRole(name: string, rules: readonly PolicyRule[]): ClusterRole {
  return { apiVersion, kind: "ClusterRole", metadata: { name }, rules };
}

export function makeRole(namespace: string, name: string, rules: readonly PolicyRule[]): Role {
  return { apiVersion, kind: "Role", metadata: { namespace, name }, rules };
}
