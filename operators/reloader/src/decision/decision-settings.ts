import { type LabelQuery, matchesLabels } from "keelson/low-level";
import type { ResourceKind, ResourceRef } from "../resource/watched-resource.ts";
import type { WorkloadKindName } from "../workload/workload-kind.ts";

/** Labels or annotations. */
export type Texts = Readonly<Record<string, string>>;

/** The settings that decide which resources count for which workloads. */
export interface DecisionSettings {
  /** Workloads that say nothing about `auto` are reloaded for what they reference. */
  readonly autoReloadAll: boolean;
  readonly ignoredWorkloadTypes: readonly WorkloadKindName[];
  readonly resourcesToIgnore: readonly ResourceKind[];
  /** Resources of these namespaces do not count. */
  readonly namespacesToIgnore: readonly string[];
  /** Only resources of these namespaces count. Undefined: those of all. */
  readonly namespaceSelector?: LabelQuery | undefined;
  /** Whether what the Secrets Store CSI driver mounts counts. */
  readonly csi: boolean;
}

/** The labels of namespaces by name. It may be empty if nothing selects namespaces. */
export type NamespaceLabels = ReadonlyMap<string, Texts>;

/** Whether the settings let resources of a kind and namespace count. */
export function isWatched(
  { kind, namespace }: Pick<ResourceRef, "kind" | "namespace">,
  settings: DecisionSettings,
  namespaces: NamespaceLabels,
): boolean {
  if (settings.resourcesToIgnore.includes(kind)) return false;
  if (kind === "SecretProviderClass" && !settings.csi) return false;
  if (settings.namespacesToIgnore.includes(namespace)) return false;
  return (
    settings.namespaceSelector === undefined ||
    isSelected(settings.namespaceSelector, namespaces.get(namespace))
  );
}

/** A namespace without known labels is not selected, not even by a selector of all. */
export function isSelected(selector: LabelQuery | undefined, labels: Texts | undefined): boolean {
  return labels !== undefined && matchesLabels(selector, labels);
}
