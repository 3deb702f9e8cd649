import type { ClusterStatus, StoredClusterSpec } from "../api/cluster.ts";
import type { ClusterTemplateSpec } from "../api/cluster-template.ts";
import { compareVersions, parseVersion, type Version } from "../semver/version.ts";
import { type SpecProblem, specReport } from "./spec-report.ts";

/** What counts for whether a Cluster may be stored. */
export type ClusterFacts =
  /** The new spec is wrong by itself; nothing else was looked at. */
  { readonly problems: readonly SpecProblem[] } | (ReadFacts & { readonly problems?: never });

/** What was read for a spec that is valid by itself. */
export interface ReadFacts {
  /** The name of its template. */
  readonly templateName: string;
  /** Undefined if it does not exist. */
  readonly template: ClusterTemplateSpec | undefined;
  /** Whether its Secret exists. */
  readonly hasCredentials: boolean;
  /** Undefined if the Cluster is to be created. */
  readonly stored: StoredCluster | undefined;
}

/** The Cluster before the change. */
export interface StoredCluster {
  readonly spec: Pick<StoredClusterSpec, "templateName">;
  readonly status: Pick<ClusterStatus, "kubernetesVersion" | "nodes">;
  /** Its template; undefined if it does not exist any more. */
  readonly template: ClusterTemplateSpec | undefined;
}

/** Why the Cluster must not be stored, as users of the original know it; undefined if it may be. */
export function judgeCluster(facts: ClusterFacts): string | undefined {
  if (facts.problems !== undefined) return specReport("ClusterSpec", facts.problems);
  const { hasCredentials, template, templateName, stored } = facts;
  if (!hasCredentials) return "specified cloud credentials secret does not exist";
  if (template === undefined) return "specified cluster template does not exist";
  if (stored?.spec.templateName === templateName) return undefined;
  if (template.deprecated === true) return "specified cluster template is deprecated";
  return stored === undefined ? undefined : judgeUpgrade(template, stored);
}

/**
 * Compares the Kubernetes versions of two templates. An upgrade goes one minor version at a time, and not before the last one
 * has reached all nodes: this is stricter than what Kubernetes supports, so that upgrades do not pile up.
 */
function judgeUpgrade(template: ClusterTemplateSpec, stored: StoredCluster): string | undefined {
  const { kubernetesVersion } = template.values;
  const next = parseVersion(kubernetesVersion);
  if (next === undefined)
    return `specified cluster template has no valid Kubernetes version: ${JSON.stringify(kubernetesVersion)} is not a SemVer version`;
  const current = currentVersion(stored);
  if (current !== undefined) {
    if (compareVersions(next, current) < 0) return "specified cluster template would be a downgrade";
    if (next.major !== current.major) return "upgrading to a new major version is not supported";
    if (next.minor > current.minor + 1n) return "upgrading by more than one minor version is not supported";
  }
  const oldest = oldestKubelet(stored);
  return oldest !== undefined && next.minor > oldest.minor + 1n
    ? "upgrading to more than one minor version newer than the oldest node is not supported"
    : undefined;
}

/** That of the template, or, if it was deleted by force or its version is no version, that of the control plane. */
function currentVersion({ template, status }: StoredCluster): Version | undefined {
  return (
    parseVersion(template?.values.kubernetesVersion ?? "") ?? parseVersion(status.kubernetesVersion ?? "")
  );
}

/** Nodes whose version is not known yet do not count. */
function oldestKubelet({ status }: StoredCluster): Version | undefined {
  const versions = Object.values(status.nodes ?? {})
    .map(({ kubeletVersion }) => parseVersion(kubeletVersion ?? ""))
    .filter((version) => version !== undefined);
  return versions.sort(compareVersions)[0];
}
