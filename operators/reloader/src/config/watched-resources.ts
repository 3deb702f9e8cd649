import type { Client, Stored } from "keelson";
import { find } from "keelson";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import { choosesByLabels, isAccepted, isInScope, listedNames } from "../decision/config-match.ts";
import { isWatched, type NamespaceLabels } from "../decision/decision-settings.ts";
import { referencesOf } from "../decision/references.ts";
import {
  formatRef,
  parseRef,
  type ResourceKind,
  type ResourceRef,
  type WatchedResource,
} from "../resource/watched-resource.ts";
import type { ReloaderParts } from "../workload/parts.ts";
import type { Workload } from "../workload/workload.ts";
import type { Observation } from "./observation.ts";

const kinds: readonly ResourceKind[] = ["ConfigMap", "Secret", "SecretProviderClass"];

/** The resources that a ReloaderConfig watches, and those that it names and that do not exist. */
export async function watchedResourcesOf(
  config: Stored<ReloaderConfig>,
  client: Client,
  {
    parts,
    namespaces,
    workloads,
  }: {
    readonly parts: ReloaderParts;
    readonly namespaces: NamespaceLabels;
    /** The targets that exist. */
    readonly workloads: readonly Workload[];
  },
): Promise<Pick<Observation, "resources" | "missing" | "unwatched">> {
  const reader = parts.reader(client);
  const isRead = (ref: ResourceRef) => isWatched(ref, parts.settings, namespaces);
  const own = config.metadata.namespace;
  const scope = [own, ...[...namespaces.keys()].filter((name) => name !== own)].filter((namespace) =>
    isInScope(config, namespace, namespaces),
  );
  const found = new Map<string, WatchedResource>();
  const add = (resource: WatchedResource) => {
    if (isAccepted(config, resource)) found.set(formatRef(resource), resource);
  };
  const missing: ResourceRef[] = [];
  const unwatched: ResourceRef[] = [];
  for (const ref of namedIn(config, scope)) {
    const isOwn = ref.namespace === own && isAccepted(config, { ...ref, labels: undefined });
    const resource = isRead(ref) ? await reader.get(ref) : undefined;
    if (resource !== undefined) add(resource);
    else if (isOwn && !isRead(ref)) unwatched.push(ref);
    else if (isOwn && !(await isMountable(ref, client, parts))) missing.push(ref);
  }
  if (choosesByLabels(config))
    for (const namespace of scope)
      for (const kind of kinds)
        if (isRead({ kind, namespace, name: "" }))
          for (const resource of await reader.list(kind, namespace)) add(resource);
  if (config.spec.autoReloadAll)
    for (const ref of workloads.flatMap(usedBy)) {
      const resource = isRead(ref) ? await reader.get(ref) : undefined;
      if (resource !== undefined) add(resource);
    }
  return { resources: [...found.values()], missing, unwatched };
}

function namedIn(config: Stored<ReloaderConfig>, scope: readonly string[]): readonly ResourceRef[] {
  return scope.flatMap((namespace) =>
    kinds.flatMap((kind) =>
      [...new Set(listedNames(config, kind))].map((name) => ({ kind, namespace, name })),
    ),
  );
}

function usedBy({ template, metadata }: Workload): readonly ResourceRef[] {
  return referencesOf(template).names.flatMap((name) => parseRef(`${metadata.namespace}/${name}`) ?? []);
}

/** A SecretProviderClass has content as soon as a pod mounts it; until then it exists without a hash. */
async function isMountable(
  { kind, namespace, name }: ResourceRef,
  client: Client,
  { hashedKinds: { mounts } }: ReloaderParts,
): Promise<boolean> {
  if (kind !== "SecretProviderClass" || mounts === undefined) return false;
  return (await find(client, mounts.classes, { namespace, name })) !== undefined;
}
