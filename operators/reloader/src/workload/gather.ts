import { type Client, find, type KubeObject, type Stored } from "keelson";
import type { ReloadRecord } from "../api/reload-record.ts";
import { ReloaderConfig } from "../api/reloader-config.ts";
import { namesOf } from "../decision/config-match.ts";
import { gatherResources } from "../decision/gather-resources.ts";
import type { Match } from "../decision/match.ts";
import { type Matches, matchesOf } from "../decision/matches.ts";
import { findRecord } from "../record/reload-records.ts";
import type { WatchedResource } from "../resource/watched-resource.ts";
import { namespaceLabels } from "./concerned-workloads.ts";
import type { ReloaderParts } from "./parts.ts";
import { targetIndex, targetValue } from "./targets.ts";
import type { Workload, WorkloadAlias } from "./workload.ts";
import type { WorkloadRef } from "./workload-kind.ts";
import { ineligibility, referencedDeployment, workloadKinds, workloadOf } from "./workload-kinds.ts";

/** Everything that a reconcile of a workload reads. */
export interface Scope extends Matches {
  readonly workload: Workload;
  /** In the order of their namespaces and names. */
  readonly configs: readonly Stored<ReloaderConfig>[];
  /** Of these pods. */
  readonly record: Stored<ReloadRecord> | undefined;
  /** A record of an earlier workload of the same name. */
  readonly earlierRecord: Stored<ReloadRecord> | undefined;
  /** Those that may count, by `formatRef`. */
  readonly resources: ReadonlyMap<string, WatchedResource>;
}

/** Undefined if there is nothing to reload: the workload does not exist, is being deleted, or is never reloaded. */
export async function gather(
  client: Client,
  ref: WorkloadRef,
  parts: ReloaderParts,
): Promise<Scope | undefined> {
  const workload = await readWorkload(client, ref, parts);
  if (workload === undefined || ineligibility(workload, parts.keys) !== undefined) return undefined;
  const { keys, settings, reader } = parts;
  const [found, configs] = await Promise.all([findRecord(client, ref), configsFor(client, workload)]);
  const namespaces = await namespaceLabels(client, parts, configs);
  const isOwn = found?.spec.uid === workload.metadata.uid;
  const record = isOwn ? found : undefined;
  const facts = { baselines: record?.status?.baselines ?? {}, configs, namespaces, keys, settings };
  const resources = await gatherResources(reader(client), workload, facts);
  const all = matchesOf(workload, { ...facts, resources: resources.values() });
  return {
    ...{ workload, configs, record, resources, problems: all.problems },
    matches: all.matches.filter((match) => isOfThisObject(workload, match, parts)),
    earlierRecord: isOwn ? undefined : found,
  };
}

/** A workload with the Rollouts that use its template; undefined if it does not exist. */
async function readWorkload(
  client: Client,
  { kind, namespace, name }: WorkloadRef,
  parts: ReloaderParts,
): Promise<Workload | undefined> {
  const { workloadKinds: watched } = parts;
  if (!watched.includes(kind)) return undefined;
  const object = await find(client, workloadKinds[kind].resource, { namespace, name });
  if (object === undefined) return undefined;
  if (kind === "Deployment" && watched.includes("Rollout"))
    return workloadOf(kind, object, await rolloutsOf(client, { namespace, name }, parts));
  const workload = workloadOf(kind, object);
  const deployment = kind === "Rollout" ? referencedDeployment(object) : undefined;
  if (deployment === undefined) return workload;
  const referenced = await find(client, workloadKinds.Deployment.resource, { namespace, name: deployment });
  return referenced === undefined
    ? workload
    : { ...workload, template: workloadOf("Deployment", referenced).template };
}

/** The Rollouts that use the template of a Deployment, apart from those that are restarted themselves. */
async function rolloutsOf(
  client: Client,
  { namespace, name }: Omit<WorkloadRef, "kind">,
  parts: ReloaderParts,
): Promise<readonly WorkloadAlias[]> {
  const { items } = await client.list(workloadKinds.Rollout.resource, { namespace });
  return items
    .filter((rollout) => referencedDeployment(rollout) === name && !isRestarted(rollout, parts))
    .map((object) => ({ kind: "Rollout", object }));
}

/** The ReloaderConfigs that name a workload or one of its aliases. */
async function configsFor(client: Client, workload: Workload): Promise<readonly Stored<ReloaderConfig>[]> {
  const lists = await Promise.all(
    namesOf(workload).map((each) =>
      client.list(ReloaderConfig, { fieldSelector: `${targetIndex}=${targetValue(each)}` }),
    ),
  );
  const configs = lists.flatMap(({ items }) => items);
  return [...new Map(configs.map((config) => [config.metadata.uid, config])).values()].filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
}

/**
 * A Rollout that uses the template of a Deployment is reloaded by that template, as an alias of the Deployment, unless it is
 * to be restarted, which only the Rollout itself can be.
 */
function isOfThisObject({ kind, object }: Workload, { origin }: Match, parts: ReloaderParts): boolean {
  const isRestart =
    origin.type === "config"
      ? (origin.target.rolloutStrategy ?? origin.config.spec.rolloutStrategy) === "restart"
      : false;
  if (kind === "Rollout" && referencedDeployment(object) !== undefined)
    return isRestart || isRestarted(object, parts);
  return !(
    origin.type === "config" &&
    origin.target.kind === "Rollout" &&
    kind === "Deployment" &&
    isRestart
  );
}

function isRestarted({ metadata }: KubeObject, { keys, settings }: ReloaderParts): boolean {
  return (metadata.annotations?.[keys.rolloutStrategy] ?? settings.rolloutStrategy) === "restart";
}
