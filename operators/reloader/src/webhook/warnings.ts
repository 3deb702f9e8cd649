import type { Stored } from "keelson";
import { ReloaderConfig } from "../api/reloader-config.ts";
import type { AlertChecks } from "../config/alert-checks.ts";
import { idleness } from "../config/conditions.ts";
import { targetName } from "../config/findings.ts";
import { channelsOf } from "../config/spec-problems.ts";
import { type Clients, type FoundTarget, findTargets } from "../config/targets.ts";
import { watchedResourcesOf } from "../config/watched-resources.ts";
import { referencesOf } from "../decision/references.ts";
import { namespaceLabels } from "../workload/concerned-workloads.ts";
import type { ReloaderParts } from "../workload/parts.ts";
import { targetIndex, targetValue } from "../workload/targets.ts";

/** The API server cuts what it passes on. */
const mostWarnings = 16;

/** What a valid ReloaderConfig waits for, and what is probably a mistake. */
export async function warningsOf(
  config: Stored<ReloaderConfig>,
  clients: Clients & { readonly signal: AbortSignal },
  parts: ReloaderParts,
  alertChecks: AlertChecks,
): Promise<readonly string[]> {
  const { client } = clients;
  const targets = await findTargets(config, clients, parts);
  const namespaces = await namespaceLabels(client, parts, [config]);
  const workloads = targets.flatMap(({ found }) => found ?? []);
  const { missing, unwatched } = await watchedResourcesOf(config, client, { parts, namespaces, workloads });
  const idle = idleness({ config });
  const plainUrls = channelsOf(config.spec.alerts).filter(([, { url }]) => url !== undefined);
  const overlaps = await Promise.all(targets.map((target) => overlapOf(config, target, clients)));
  return [
    ...(idle === undefined ? [] : [idle]),
    ...targets.flatMap((target) => targetWarnings(config, target)),
    ...missing.map(({ kind, name }) => `${kind} ${name} does not exist yet; changes count once it does`),
    ...unwatched.map(({ kind, name }) => `${kind} ${name} is left out by the settings of the operator`),
    ...overlaps.flat(),
    ...(await alertChecks.problemsOf({ ...clients, object: config })),
    ...plainUrls.map(
      ([name]) =>
        `spec.alerts.${name}.url can be read by all who may read this ReloaderConfig; write it to a Secret, and its name to secretRef`,
    ),
  ].slice(0, mostWarnings);
}

function targetWarnings(
  { metadata, spec }: Stored<ReloaderConfig>,
  { workload, presence, ineligibility, found }: FoundTarget,
): readonly string[] {
  const target = `target ${targetName(workload, metadata.namespace)}`;
  if (ineligibility !== undefined) return [`${target} is not reloaded: ${ineligibility}`];
  if (presence === "missing") return [`${target} does not exist yet; it is reloaded once it does`];
  if (presence === "notServed")
    return [`${target} cannot exist yet: the API server does not serve ${workload.kind}s`];
  const isUnused = spec.autoReloadAll && referencesOf(found?.template).names.length === 0;
  return isUnused ? [`${target} uses no Secret or ConfigMap, so that autoReloadAll has no effect on it`] : [];
}

async function overlapOf(
  { metadata }: Stored<ReloaderConfig>,
  { workload }: FoundTarget,
  { client }: Clients,
): Promise<readonly string[]> {
  const fieldSelector = `${targetIndex}=${targetValue(workload)}`;
  const { items } = await client.list(ReloaderConfig, { fieldSelector });
  const others = items
    .filter(
      (other) => other.metadata.namespace !== metadata.namespace || other.metadata.name !== metadata.name,
    )
    .map((other) => `${other.metadata.namespace}/${other.metadata.name}`);
  if (others.length === 0) return [];
  const target = targetName(workload, metadata.namespace);
  return [
    `target ${target} is also a target of ${others.join(", ")}; a change that counts for several reloads it once, with the strategy of the first by name`,
  ];
}
