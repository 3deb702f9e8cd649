import type { Stored } from "keelson";
import { matchesLabels } from "keelson/low-level";
import type { AnnotationKeys } from "../api/annotation-keys.ts";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import type { Target } from "../api/spec.ts";
import type { ResourceKind, ResourceRef } from "../resource/watched-resource.ts";
import type { WorkloadRef } from "../workload/workload-kind.ts";
import { isSelected, type NamespaceLabels, type Texts } from "./decision-settings.ts";
import type { References } from "./references.ts";
import type { AnnotatedWorkload } from "./workload-annotations.ts";

/** A resource, as ReloaderConfigs decide about it. */
export interface ConfiguredResource extends ResourceRef {
  /** Undefined if it does not exist any more; then it had what it was recorded for. */
  readonly labels: Texts | undefined;
}

/** The workloads that a target may name: the workload and its aliases. */
export function namesOf({ kind, metadata, aliases }: AnnotatedWorkload): readonly WorkloadRef[] {
  const { namespace, name } = metadata;
  return [
    { kind, namespace, name },
    ...aliases.map((alias) => ({ kind: alias.kind, namespace, name: alias.object.metadata.name ?? "" })),
  ];
}

/** The first target of a config that names the workload. A config with the annotation `ignore` has none. */
export function targetFor(
  config: Stored<ReloaderConfig>,
  workload: AnnotatedWorkload,
  keys: AnnotationKeys,
): Target | undefined {
  if (isIgnoredConfig(config, keys)) return undefined;
  const names = namesOf(workload);
  return config.spec.targets?.find((target) => names.some((name) => isTarget(config, target, name)));
}

/** Whether a target of a config names the workload. */
function isTarget(config: Stored<ReloaderConfig>, target: Target, workload: WorkloadRef): boolean {
  return (
    target.kind === workload.kind &&
    target.name === workload.name &&
    (target.namespace ?? config.metadata.namespace) === workload.namespace
  );
}

/** Whether the config has the annotation `ignore`, so that it does nothing. */
export function isIgnoredConfig({ metadata }: Stored<ReloaderConfig>, keys: AnnotationKeys): boolean {
  return metadata.annotations?.[keys.ignore] === "true";
}

/**
 * Whether a resource counts for a target: `explicit` if the config names or selects it, `auto` if the config asks for
 * everything that its targets use.
 */
export function configDecision(
  config: Stored<ReloaderConfig>,
  target: Target,
  resource: ConfiguredResource,
  workload: AnnotatedWorkload,
  references: References,
  namespaces: NamespaceLabels,
): "explicit" | "auto" | "unmatched" {
  if (!isAccepted(config, resource)) return "unmatched";
  // Containers use resources of their own namespace only.
  const isUsed =
    resource.namespace === workload.metadata.namespace &&
    references.useOf(resource.kind, resource.name) !== undefined;
  if (isChosen(config, resource) && isInScope(config, resource.namespace, namespaces)) {
    const mustBeUsed = config.spec.watchedResources?.enableTargetedReload === true && target.requireReference;
    // Without a pod template it is not known what is used.
    if (!mustBeUsed || isUsed || workload.template === undefined) return "explicit";
  }
  return config.spec.autoReloadAll && isUsed ? "auto" : "unmatched";
}

/** The names that a config lists for a kind. */
export function listedNames(config: Stored<ReloaderConfig>, kind: ResourceKind): readonly string[] {
  const { secrets, configMaps, secretProviderClasses } = config.spec.watchedResources ?? {};
  const lists = { Secret: secrets, ConfigMap: configMaps, SecretProviderClass: secretProviderClasses };
  return lists[kind] ?? [];
}

/** Whether a config chooses resources by labels instead of names: it lists none, and does not ask for what is used. */
export function choosesByLabels(config: Stored<ReloaderConfig>): boolean {
  const { resourceSelector, secrets, configMaps, secretProviderClasses } = config.spec.watchedResources ?? {};
  const listed = [secrets, configMaps, secretProviderClasses].some((names) => (names ?? []).length > 0);
  return resourceSelector !== undefined && !listed && !config.spec.autoReloadAll;
}

/** Whether resources of a namespace can be named by a config: its own, and those that it selects. */
export function isInScope(
  config: Stored<ReloaderConfig>,
  namespace: string,
  namespaces: NamespaceLabels,
): boolean {
  if (namespace === config.metadata.namespace) return true;
  const selector = config.spec.watchedResources?.namespaceSelector;
  return selector !== undefined && isSelected(selector, namespaces.get(namespace));
}

function isChosen(config: Stored<ReloaderConfig>, { kind, name }: ResourceRef): boolean {
  return choosesByLabels(config) || listedNames(config, kind).includes(name);
}

/** Whether a config neither leaves out a resource nor asks for labels that it does not have. */
export function isAccepted(
  { spec }: Stored<ReloaderConfig>,
  { kind, name, namespace, labels }: ConfiguredResource,
): boolean {
  const isIgnored = spec.ignoreResources?.some(
    (ignored) =>
      ignored.kind === kind &&
      ignored.name === name &&
      (ignored.namespace === undefined || ignored.namespace === namespace),
  );
  if (isIgnored === true) return false;
  if (labels === undefined) return true;
  const { resourceSelector } = spec.watchedResources ?? {};
  return (
    matchesLabels({ matchLabels: spec.matchLabels ?? {} }, labels) &&
    (resourceSelector === undefined || matchesLabels(resourceSelector, labels))
  );
}
