import {
  annotationsChanged,
  anyOf,
  type Client,
  type ControllerDefinition,
  controller,
  generationChanged,
  labelsChanged,
  metadataOnly,
  type ObjectKey,
  type Resource,
  type Stored,
} from "keelson";
import type { KindControllerBuilder } from "keelson/controller";
import { Namespace } from "keelson/kinds/core/v1";
import { ReloadRecord } from "../api/reload-record.ts";
import { ReloaderConfig } from "../api/reloader-config.ts";
import { concernValues } from "../decision/concerned.ts";
import { fieldOwner, workloadOfRecord } from "../record/reload-records.ts";
import type { HashedResource } from "../resource/hashed-resource.ts";
import type { ResourceKind, ResourceRef } from "../resource/watched-resource.ts";
import { afterInitialList, concernIndex } from "../workload/concerned-workloads.ts";
import type { ReloaderParts } from "../workload/parts.ts";
import { targetIndex, targetsOf, targetValue } from "../workload/targets.ts";
import type { WorkloadRef } from "../workload/workload-kind.ts";
import { referencedDeployment, workloadKinds } from "../workload/workload-kinds.ts";
import type { AlertChecks } from "./alert-checks.ts";
import { reconcileConfig } from "./reconcile.ts";
import { channelsOf } from "./spec-problems.ts";

/** The name of the index of ReloaderConfigs by the Secrets with URLs of their alert channels. */
export const alertSecretIndex = "alertSecrets";

/** The values of a ReloaderConfig in the index. */
export function alertSecretsOf({ metadata, spec }: Stored<ReloaderConfig>): readonly string[] {
  return channelsOf(spec.alerts).flatMap(([, { secretRef }]) =>
    secretRef === undefined ? [] : [`${metadata.namespace}/${secretRef.name}`],
  );
}

type Builder = KindControllerBuilder<ReloaderConfig>;

/**
 * Keeps the status of a ReloaderConfig: it is reconciled when it changes, when a resource that it watches, a target or the record
 * of a target changes, and when a Secret with the URL of an alert channel does.
 */
export function configController(
  parts: ReloaderParts,
  alertChecks: AlertChecks,
): ControllerDefinition<ObjectKey> {
  const { secrets, configMaps, mounts } = parts.hashedKinds;
  let builder: Builder = controller(ReloaderConfig, {
    fieldOwner,
    backoff: "oneSecondToFiveMinutes",
    predicates: [anyOf(generationChanged, annotationsChanged)],
  }).watches(ReloadRecord, (record, { client }) => configsOfRecord(record, client, parts), {
    predicates: [afterInitialList],
  });
  for (const kind of parts.workloadKinds)
    builder = builder.watches(
      workloadKinds[kind].resource,
      ({ metadata: { namespace = "", name } }, { client }) =>
        configsWithTarget({ kind, namespace, name }, client),
      { predicates: [afterInitialList, anyOf(generationChanged, annotationsChanged)] },
    );
  if (secrets !== undefined) builder = watchHashes(builder, "Secret", secrets);
  if (configMaps !== undefined) builder = watchHashes(builder, "ConfigMap", configMaps);
  if (mounts !== undefined)
    builder = builder
      .watches(
        mounts.podStatuses,
        ({ metadata: { namespace }, secretProviderClass: name }, { client }) =>
          name === undefined ? [] : configsWatching({ kind: "SecretProviderClass", namespace, name }, client),
        { predicates: [afterInitialList] },
      )
      .watches(
        mounts.classes,
        ({ metadata: { namespace = "", name } }, { client }) =>
          configsWatching({ kind: "SecretProviderClass", namespace, name }, client),
        { predicates: [afterInitialList] },
      );
  if (parts.readsNamespaces)
    builder = builder.watches(metadataOnly(Namespace), (_, { client }) => configsWithSelector(client), {
      predicates: [afterInitialList, labelsChanged],
    });
  return builder.reconcile((context) => reconcileConfig(context, parts, alertChecks));
}

function watchHashes(builder: Builder, kind: ResourceKind, resource: Resource<HashedResource>): Builder {
  return builder.watches(
    resource,
    async ({ metadata: { namespace, name } }, { client }) => {
      const ref = { kind, namespace, name };
      const ofAlerts =
        kind === "Secret" ? await configsOf(client, alertSecretIndex, `${namespace}/${name}`) : [];
      return [...ofAlerts.map(keyOfConfig), ...(await configsWatching(ref, client))];
    },
    { predicates: [afterInitialList] },
  );
}

/** A few too many, and none too few. */
async function configsWatching(resource: ResourceRef, client: Client): Promise<readonly ObjectKey[]> {
  const { namespace } = resource;
  const lists = await Promise.all(
    concernValues(resource).map((value) => configsOf(client, concernIndex, value)),
  );
  return lists
    .flat()
    .filter(
      (config) =>
        config.metadata.namespace === namespace ||
        config.spec.watchedResources?.namespaceSelector !== undefined ||
        targetsOf(config).some((target) => target.namespace === namespace),
    )
    .map(keyOfConfig);
}

async function configsWithTarget(workload: WorkloadRef, client: Client): Promise<readonly ObjectKey[]> {
  return (await configsOf(client, targetIndex, targetValue(workload))).map(keyOfConfig);
}

/** Those that name the workload of a record, or a Rollout that uses its template. */
async function configsOfRecord(
  record: Stored<ReloadRecord>,
  client: Client,
  parts: ReloaderParts,
): Promise<readonly ObjectKey[]> {
  const workload = workloadOfRecord(record);
  const { kind, namespace, name } = workload;
  const hasAliases = kind === "Deployment" && parts.workloadKinds.includes("Rollout");
  const rollouts = hasAliases ? (await client.list(workloadKinds.Rollout.resource, { namespace })).items : [];
  const aliases = rollouts
    .filter((rollout) => referencedDeployment(rollout) === name)
    .map(({ metadata }): WorkloadRef => ({ kind: "Rollout", namespace, name: metadata.name }));
  const keys = [workload, ...aliases].map((each) => configsWithTarget(each, client));
  return (await Promise.all(keys)).flat();
}

async function configsWithSelector(client: Client): Promise<readonly ObjectKey[]> {
  const { items } = await client.list(ReloaderConfig);
  return items.filter(({ spec }) => spec.watchedResources?.namespaceSelector !== undefined).map(keyOfConfig);
}

async function configsOf(
  client: Client,
  index: string,
  value: string,
): Promise<readonly Stored<ReloaderConfig>[]> {
  return (await client.list(ReloaderConfig, { fieldSelector: `${index}=${value}` })).items;
}

function keyOfConfig({ metadata: { namespace, name } }: Stored<ReloaderConfig>): ObjectKey {
  return { namespace, name };
}
