import type { Stored } from "keelson";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import {
  formatRef,
  parseRef,
  type ResourceKind,
  type ResourceReader,
  type ResourceRef,
  type WatchedResource,
} from "../resource/watched-resource.ts";
import { annotationRules } from "./annotation-decision.ts";
import { choosesByLabels, isInScope, listedNames, targetFor } from "./config-match.ts";
import { isWatched } from "./decision-settings.ts";
import type { MatchFacts } from "./matches.ts";
import type { AnnotatedWorkload } from "./workload-annotations.ts";

const kinds: readonly ResourceKind[] = ["ConfigMap", "Secret", "SecretProviderClass"];

/**
 * Reads the resources that may count for a workload, by `formatRef`, for `matchesOf`. Resources are read by name; only patterns and label
 * selectors take lists.
 */
export async function gatherResources(
  reader: ResourceReader,
  workload: AnnotatedWorkload,
  facts: Omit<MatchFacts, "resources">,
): Promise<ReadonlyMap<string, WatchedResource>> {
  const { configs, baselines, keys, settings, namespaces } = facts;
  const rules = annotationRules(workload, keys, settings);
  const found = new Map<string, WatchedResource>();
  if (rules.isIgnored || settings.ignoredWorkloadTypes.includes(workload.kind)) return found;
  const own = workload.metadata.namespace;
  const wanted = new Map<string, ResourceRef>();
  const want = (ref: ResourceRef | undefined) => {
    if (ref !== undefined && isWatched(ref, settings, namespaces)) wanted.set(formatRef(ref), ref);
  };
  const readAll = async (kind: ResourceKind, namespace: string, isWanted: (name: string) => boolean) => {
    if (!isWatched({ kind, namespace }, settings, namespaces)) return;
    for (const resource of await reader.list(kind, namespace))
      if (isWanted(resource.name)) found.set(formatRef(resource), resource);
  };
  for (const recorded of Object.keys(baselines)) want(parseRef(recorded));
  for (const reference of rules.references.names) want(parseRef(`${own}/${reference}`));
  for (const kind of kinds) {
    const { named } = rules.ofKind(kind);
    for (const name of named.names) want({ kind, namespace: own, name });
    if (named.hasPatterns) await readAll(kind, own, named.matches);
  }
  for (const config of configs) {
    if (targetFor(config, workload, keys) === undefined) continue;
    for (const namespace of scopeOf(config, facts)) {
      for (const kind of kinds) {
        for (const name of listedNames(config, kind)) want({ kind, namespace, name });
        if (choosesByLabels(config)) await readAll(kind, namespace, () => true);
      }
    }
  }
  for (const [text, ref] of wanted) {
    const resource = found.has(text) ? undefined : await reader.get(ref);
    if (resource !== undefined) found.set(text, resource);
  }
  return found;
}

function scopeOf(
  config: Stored<ReloaderConfig>,
  { namespaces }: Pick<MatchFacts, "namespaces">,
): readonly string[] {
  const own = config.metadata.namespace;
  const others = [...namespaces.keys()].filter((name) => name !== own && isInScope(config, name, namespaces));
  return [own, ...others];
}
