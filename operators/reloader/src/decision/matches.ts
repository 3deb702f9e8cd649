import type { Stored } from "keelson";
import type { AnnotationKeys } from "../api/annotation-keys.ts";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import { formatRef, parseRef, type ResourceRef, type WatchedResource } from "../resource/watched-resource.ts";
import { annotationRules } from "./annotation-decision.ts";
import { configDecision, targetFor } from "./config-match.ts";
import { type DecisionSettings, isWatched, type NamespaceLabels, type Texts } from "./decision-settings.ts";
import type { Match, MatchOrigin } from "./match.ts";
import type { AnnotatedWorkload } from "./workload-annotations.ts";

/** What decides which resources count for a workload. */
export interface MatchFacts {
  /** Those that exist, at least all that may count; see `gatherResources`. */
  readonly resources: Iterable<WatchedResource>;
  /** What was recorded, by `formatRef`. A resource that is here and not in `resources` does not exist any more. */
  readonly baselines: Readonly<Record<string, string>>;
  /** All that may have the workload as a target, in any order. */
  readonly configs: readonly Stored<ReloaderConfig>[];
  readonly namespaces: NamespaceLabels;
  readonly keys: AnnotationKeys;
  readonly settings: DecisionSettings;
}

/** Which resources count for a workload, and why. */
export interface Matches {
  /** In the order of their resources; of one resource the annotations first, then the configs by namespace and name. */
  readonly matches: readonly Match[];
  /** What is wrong with annotations of the workload, each saying what to write instead. */
  readonly problems: readonly string[];
}

interface Candidate extends ResourceRef {
  /** Undefined if it does not exist any more. */
  readonly labels: Texts | undefined;
  readonly annotations: Texts | undefined;
}

/**
 * The resources that count for a workload: by annotations, and by ReloaderConfigs. The annotations `ignore` and `exclude` of
 * the workload hold for both.
 */
export function matchesOf(workload: AnnotatedWorkload, facts: MatchFacts): Matches {
  const { keys, settings, namespaces } = facts;
  const rules = annotationRules(workload, keys, settings);
  const { problems } = rules;
  if (rules.isIgnored || settings.ignoredWorkloadTypes.includes(workload.kind))
    return { matches: [], problems };
  const targets = sortedByName(facts.configs).flatMap((config) => {
    const target = targetFor(config, workload, keys);
    return target === undefined ? [] : [{ type: "config", config, target } as const];
  });
  const matches: Match[] = [];
  for (const candidate of candidates(facts)) {
    const { kind, namespace, name, labels, annotations } = candidate;
    if (!isWatched(candidate, settings, namespaces)) continue;
    // The names in annotations are those of the workload's namespace.
    const isOwn = namespace === workload.metadata.namespace;
    if (annotations?.[keys.ignore] === "true" || (isOwn && rules.isExcluded(kind, name))) continue;
    const resource = { kind, namespace, name };
    const add = (decision: string, origin: MatchOrigin) => {
      if (decision === "explicit" || decision === "auto")
        matches.push({ resource, isExplicit: decision === "explicit", origin });
    };
    if (isOwn) add(rules.decide({ kind, name, annotations }), { type: "annotations" });
    for (const origin of targets) {
      const { config, target } = origin;
      const configured = { ...resource, labels };
      add(configDecision(config, target, configured, workload, rules.references, namespaces), origin);
    }
  }
  return { matches, problems };
}

/** Existing and recorded resources in the order of their names. */
function candidates({ resources, baselines }: MatchFacts): readonly Candidate[] {
  const found = new Map<string, Candidate>();
  for (const resource of resources) found.set(formatRef(resource), resource);
  for (const recorded of Object.keys(baselines)) {
    const ref = parseRef(recorded);
    // Without a pod that mounts it, nothing is known of a SecretProviderClass. That is not a deletion.
    if (ref === undefined || ref.kind === "SecretProviderClass" || found.has(recorded)) continue;
    found.set(recorded, { ...ref, labels: undefined, annotations: undefined });
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, candidate]) => candidate);
}

function sortedByName(configs: readonly Stored<ReloaderConfig>[]): readonly Stored<ReloaderConfig>[] {
  const key = ({ metadata }: Stored<ReloaderConfig>) => `${metadata.namespace}/${metadata.name}`;
  return configs.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
