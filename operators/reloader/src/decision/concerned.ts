import type { Stored } from "keelson";
import type { AnnotationKeys } from "../api/annotation-keys.ts";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import type { ResourceKind, ResourceRef } from "../resource/watched-resource.ts";
import type { WorkloadRef } from "../workload/workload-kind.ts";
import { annotationRules } from "./annotation-decision.ts";
import { choosesByLabels, isIgnoredConfig, listedNames } from "./config-match.ts";
import { isSelected, type NamespaceLabels } from "./decision-settings.ts";
import { referenceName } from "./references.ts";
import type { AnnotatedWorkload } from "./workload-annotations.ts";

const kinds: readonly ResourceKind[] = ["ConfigMap", "Secret", "SecretProviderClass"];

/**
 * The values of an index of workloads by the resources that may count for them by annotations: `Secret/db` for one that is named or
 * used, and `Secret/*` for a workload with patterns. `concernValues` has the values to look up for a resource.
 */
export function workloadConcerns(
  workload: AnnotatedWorkload,
  keys: AnnotationKeys,
  settings: { readonly autoReloadAll: boolean },
): readonly string[] {
  const rules = annotationRules(workload, keys, settings);
  if (rules.isIgnored) return [];
  const values = new Set<string>();
  for (const kind of kinds) {
    const { named, searches, isAuto } = rules.ofKind(kind);
    for (const name of named.names) values.add(referenceName(kind, name));
    if (named.hasPatterns) values.add(anyOf(kind));
    if (!searches && !isAuto) continue;
    for (const reference of rules.references.names)
      if (reference.startsWith(`${kind}/`)) values.add(reference);
  }
  return [...values];
}

/**
 * The same for ReloaderConfigs: `Secret/db` for one that is listed, and `Secret/*` for a config that selects by labels or asks for
 * what its targets use.
 */
export function configConcerns(config: Stored<ReloaderConfig>, keys: AnnotationKeys): readonly string[] {
  if (isIgnoredConfig(config, keys)) return [];
  const isWide = choosesByLabels(config) || config.spec.autoReloadAll;
  return kinds.flatMap((kind) => [
    ...new Set(listedNames(config, kind).map((name) => referenceName(kind, name))),
    ...(isWide ? [anyOf(kind)] : []),
  ]);
}

/** The values under which the workloads and configs are found that a resource may concern. */
export function concernValues({ kind, name }: Pick<ResourceRef, "kind" | "name">): readonly string[] {
  return [referenceName(kind, name), anyOf(kind)];
}

/**
 * The targets of a config that a resource may concern. Of a config that asks for what its targets use, these are also targets in the
 * namespace of the resource.
 */
export function concernedTargets(
  config: Stored<ReloaderConfig>,
  resource: ResourceRef,
  namespaces: NamespaceLabels,
): readonly WorkloadRef[] {
  const { watchedResources, autoReloadAll, targets = [] } = config.spec;
  const selector = watchedResources?.namespaceSelector;
  const isInScope =
    resource.namespace === config.metadata.namespace ||
    (selector !== undefined && isSelected(selector, namespaces.get(resource.namespace)));
  const isChosen = choosesByLabels(config) || listedNames(config, resource.kind).includes(resource.name);
  return targets
    .map(({ kind, name, namespace = config.metadata.namespace }) => ({ kind, namespace, name }))
    .filter(
      ({ namespace }) => (isInScope && isChosen) || (autoReloadAll && namespace === resource.namespace),
    );
}

function anyOf(kind: ResourceKind): string {
  return `${kind}/*`;
}
