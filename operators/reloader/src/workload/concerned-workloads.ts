import { type Client, find, metadataOnly, type Predicate, type Stored } from "keelson";
import { Namespace } from "keelson/kinds/core/v1";
import { ReloaderConfig } from "../api/reloader-config.ts";
import { concernedTargets, concernValues, configConcerns, workloadConcerns } from "../decision/concerned.ts";
import type { NamespaceLabels } from "../decision/decision-settings.ts";
import type { ResourceRef } from "../resource/watched-resource.ts";
import type { ReloaderParts } from "./parts.ts";
import { targetsOf } from "./targets.ts";
import type { WorkloadKindName, WorkloadRef } from "./workload-kind.ts";
import { referencedDeployment, workloadKinds, workloadOf } from "./workload-kinds.ts";

/** The name of the indexes of workloads and ReloaderConfigs by the resources that may count for them. */
export const concernIndex = "concerns";

/**
 * Leaves out the objects that existed when a controller started. Each workload and ReloaderConfig is reconciled then anyway,
 * with all of them, so to look for those that each of many Secrets concerns would be work for nothing.
 */
export const afterInitialList: Predicate = { create: ({ isInInitialList }) => !isInInitialList };

/** The values of a workload in the index. */
export function concernsOfWorkload(
  kind: WorkloadKindName,
  object: Stored,
  { keys, settings }: Pick<ReloaderParts, "keys" | "settings">,
): readonly string[] {
  const workload = workloadOf(kind, object);
  // What such a Rollout uses is in the template of the Deployment.
  if (kind === "Rollout" && referencedDeployment(object) !== undefined)
    return ["ConfigMap", "Secret", "SecretProviderClass"].map((each) => `${each}/*`);
  return workloadConcerns(workload, keys, settings);
}

/** The values of a ReloaderConfig in the index. */
export function concernsOfConfig(
  config: Stored<ReloaderConfig>,
  { keys }: Pick<ReloaderParts, "keys">,
): readonly string[] {
  return configConcerns(config, keys);
}

/** The workloads that may have to be reloaded because a resource has changed: a few too many, and none too few. */
export async function workloadsConcernedBy(
  resource: ResourceRef,
  client: Client,
  parts: ReloaderParts,
): Promise<readonly WorkloadRef[]> {
  const values = concernValues(resource);
  const found = await Promise.all([
    ...parts.workloadKinds.flatMap((kind) =>
      values.map((value) => annotated(resource, kind, value, client, parts)),
    ),
    ...values.map((value) => targeted(resource, value, client, parts)),
  ]);
  return found.flat();
}

async function annotated(
  { namespace }: ResourceRef,
  kind: WorkloadKindName,
  value: string,
  client: Client,
  { metrics }: ReloaderParts,
): Promise<readonly WorkloadRef[]> {
  const fieldSelector = `${concernIndex}=${value}`;
  const { items } = await client.list(workloadKinds[kind].resource, { namespace, fieldSelector });
  metrics.scanned(kind, items.length);
  return items.flatMap((object) => sameWorkloads(kind, object));
}

async function targeted(
  resource: ResourceRef,
  value: string,
  client: Client,
  parts: ReloaderParts,
): Promise<readonly WorkloadRef[]> {
  const { items } = await client.list(ReloaderConfig, { fieldSelector: `${concernIndex}=${value}` });
  if (items.length === 0) return [];
  const namespaces = await namespaceLabels(client, parts, items);
  const targets = items.flatMap((config) => concernedTargets(config, resource, namespaces));
  return (await Promise.all(targets.map((target) => withDeployment(target, client, parts)))).flat();
}

/** The workloads that a ReloaderConfig names. */
export async function workloadsOfConfig(
  config: Stored<ReloaderConfig>,
  client: Client,
  parts: ReloaderParts,
): Promise<readonly WorkloadRef[]> {
  return (await Promise.all(targetsOf(config).map((target) => withDeployment(target, client, parts)))).flat();
}

/** The workloads for which the labels of a namespace decide which resources count. */
export async function workloadsSelectedIn(
  namespace: string,
  client: Client,
  parts: ReloaderParts,
): Promise<readonly WorkloadRef[]> {
  const { items: configs } = await client.list(ReloaderConfig);
  const selecting = configs.filter(({ spec }) => spec.watchedResources?.namespaceSelector !== undefined);
  const targets = selecting.map((config) => workloadsOfConfig(config, client, parts));
  const all = parts.settings.namespaceSelector === undefined ? [] : parts.workloadKinds;
  const workloads = all.map(async (kind) => {
    const { items } = await client.list(workloadKinds[kind].resource, { namespace });
    return items.flatMap((object) => sameWorkloads(kind, object));
  });
  return (await Promise.all([...targets, ...workloads])).flat();
}

/** A workload, and of a Rollout also the Deployment whose template it uses. */
export function sameWorkloads(kind: WorkloadKindName, object: Stored): readonly WorkloadRef[] {
  const { namespace = "", name } = object.metadata;
  const deployment = kind === "Rollout" ? referencedDeployment(object) : undefined;
  const own: WorkloadRef = { kind, namespace, name };
  return deployment === undefined ? [own] : [own, { kind: "Deployment", namespace, name: deployment }];
}

async function withDeployment(
  target: WorkloadRef,
  client: Client,
  { workloadKinds: watched }: ReloaderParts,
): Promise<readonly WorkloadRef[]> {
  if (target.kind !== "Rollout" || !watched.includes("Rollout")) return [target];
  const { namespace, name } = target;
  const rollout = await find(client, workloadKinds.Rollout.resource, { namespace, name });
  return rollout === undefined ? [target] : sameWorkloads("Rollout", rollout);
}

/** The labels of all namespaces, if something selects namespaces by them and they may be read. */
export async function namespaceLabels(
  client: Client,
  { settings, readsNamespaces }: ReloaderParts,
  configs: readonly Stored<ReloaderConfig>[],
): Promise<NamespaceLabels> {
  const isNeeded =
    settings.namespaceSelector !== undefined ||
    configs.some(({ spec }) => spec.watchedResources?.namespaceSelector !== undefined);
  if (!isNeeded || !readsNamespaces) return new Map();
  const { items } = await client.list(metadataOnly(Namespace));
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
}
