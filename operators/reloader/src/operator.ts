import { type Clock, cacheIndex, defineOperator, type Stored, usesOf } from "keelson";
import type { CachedIndex } from "keelson/cache";
import { sendPost } from "keelson/client";
import { Secret } from "keelson/kinds/core/v1";
import type { PartDependencies } from "keelson/manager";
import { configChannels, settingsChannels } from "./alerts/alert-channel.ts";
import { AlertMetrics } from "./alerts/alert-metrics.ts";
import { AlertQueue } from "./alerts/alert-queue.ts";
import { alertRunnable } from "./alerts/alert-runnable.ts";
import { configUrls } from "./alerts/alert-url.ts";
import { callReloadWebhook } from "./alerts/reload-webhook.ts";
import { ReloadRecord } from "./api/reload-record.ts";
import { ReloaderConfig } from "./api/reloader-config.ts";
import { AlertChecks } from "./config/alert-checks.ts";
import { alertSecretIndex, alertSecretsOf, configController } from "./config/controller.ts";
import { recordHashUses } from "./config/record-hashes.ts";
import { ReloaderMetrics } from "./metrics.ts";
import { hashedCache, hashedKinds } from "./resource/hashed-kinds.ts";
import { resourceReader } from "./resource/resource-reader.ts";
import { reloaderProgress } from "./sample-progress.ts";
import { upstream } from "./settings/upstream.ts";
import { annotationKeysOf, type ReloaderSettings, settings } from "./settings.ts";
import { Coalescing } from "./timing/coalescing.ts";
import { rateLimitsOf } from "./timing/rate-limits.ts";
import { configAdmission } from "./webhook/admission.ts";
import { concernIndex, concernsOfConfig, concernsOfWorkload } from "./workload/concerned-workloads.ts";
import { workloadController } from "./workload/controller.ts";
import { FirstSights } from "./workload/first-sights.ts";
import type { ReloaderParts } from "./workload/parts.ts";
import { ShownProblems } from "./workload/report.ts";
import { targetIndex, targetsOf, targetValue } from "./workload/targets.ts";
import { type WorkloadKindName, workloadKindNames } from "./workload/workload-kind.ts";
import { workloadKinds } from "./workload/workload-kinds.ts";

/** The Reloader operator: `keelson run reloader`. */
export const reloader = defineOperator({
  name: "reloader",
  resources: [ReloaderConfig, ReloadRecord],
  settings,
  replaces: upstream,
  samples: {
    files: [
      new URL("../samples/ledger.yaml", import.meta.url),
      new URL("../samples/greeter.yaml", import.meta.url),
    ],
    later: [new URL("../samples/changed-password.yaml", import.meta.url)],
    progress: reloaderProgress(),
    tries: [
      "describe reloaderconfig ledger",
      `patch configmap greeter-texts -p '{"data":{"greeting":"Good evening"}}'`,
    ],
  },
  parts: (dependencies) => {
    const { metrics } = dependencies;
    const chosen = withoutNamespaceSettings(dependencies);
    const queue = new AlertQueue({ metrics: new AlertMetrics(metrics) });
    const parts = makeParts({ ...dependencies, settings: chosen }, queue);
    const alertChecks = new AlertChecks(parts, configUrls(chosen));
    return {
      controllers: [workloadController(parts), configController(parts, alertChecks)],
      webhooks: [configAdmission(parts, alertChecks)],
      indexes: indexesOf(parts),
      cache: hashedCache(parts.hashedKinds, chosen),
      uses: [
        // The URLs of alert channels are read when they are needed.
        ...usesOf(Secret, ["get"]),
        ...(chosen.recordHashOnResources ? recordHashUses : []),
      ],
      setup: (manager) => manager.add(alertRunnable(queue, manager, chosen, sendPost)),
    };
  },
});

/** A run in some namespaces may not read the labels of namespaces, and its namespaces are chosen already. */
function withoutNamespaceSettings({
  settings: chosen,
  namespaces,
  log,
}: PartDependencies<ReloaderSettings>): ReloaderSettings {
  if (namespaces === undefined) return chosen;
  const { namespaceSelector, namespacesToIgnore, ...rest } = chosen;
  if (namespacesToIgnore.length > 0)
    log.warn("--namespaces-to-ignore has no effect: the run is limited to namespaces", { namespaces });
  if (namespaceSelector !== undefined)
    log.warn("--namespace-selector has no effect: the run is limited to namespaces", { namespaces });
  return { ...rest, namespaceSelector: undefined, namespacesToIgnore: [] };
}

function makeParts(
  { settings: chosen, namespaces, metrics, clock }: PartDependencies<ReloaderSettings>,
  queue: AlertQueue,
): ReloaderParts {
  const keys = annotationKeysOf(chosen);
  const kinds = hashedKinds(chosen, keys);
  return {
    ...{ settings: chosen, keys, hashedKinds: kinds },
    workloadKinds: workloadKindNames.filter((kind) => isReloaded(kind, chosen)),
    readsNamespaces: namespaces === undefined,
    reader: (client) => resourceReader(client, kinds),
    metrics: new ReloaderMetrics(metrics, clock, { isByNamespace: chosen.metricsByNamespace }),
    breaker: { reloads: chosen.circuitBreakerReloads, periodMs: chosen.circuitBreakerWindow },
    coalescing: new Coalescing(chosen.coalesceWindow),
    rateLimits: rateLimitsOf(chosen),
    firstSights: new FirstSights(clock),
    shownProblems: new ShownProblems(),
    callWebhook: webhookOf(chosen, clock),
    sendAlert: (alert, configs) => queue.send(alert, channelsOf(configs, chosen)),
  };
}

function webhookOf({ webhookUrl: url }: ReloaderSettings, clock: Clock): ReloaderParts["callWebhook"] {
  if (url === undefined) return undefined;
  return ({ workload: { kind, metadata }, changes, time }, signal) => {
    const workload = { kind, namespace: metadata.namespace, name: metadata.name };
    return callReloadWebhook({ url, workload, changes, time }, { sendPost, clock }, signal);
  };
}

/** The channels of the ReloaderConfigs that a reload was for, and that of the settings. */
function channelsOf(configs: readonly Stored<ReloaderConfig>[], chosen: ReloaderSettings) {
  const urls = configUrls(chosen);
  return [...settingsChannels(chosen), ...configs.flatMap((config) => configChannels(config, urls))];
}

/** Whether the settings let workloads of the kind be reloaded. */
function isReloaded(
  kind: WorkloadKindName,
  { argoRollouts, openshift, ignoredWorkloadTypes }: ReloaderSettings,
): boolean {
  if (kind === "Rollout" && !argoRollouts) return false;
  if (kind === "DeploymentConfig" && !openshift) return false;
  return !ignoredWorkloadTypes.includes(kind);
}

function indexesOf(parts: ReloaderParts): readonly CachedIndex[] {
  return [
    cacheIndex(ReloaderConfig, targetIndex, (config) => targetsOf(config).map(targetValue)),
    cacheIndex(ReloaderConfig, concernIndex, (config) => concernsOfConfig(config, parts)),
    cacheIndex(ReloaderConfig, alertSecretIndex, alertSecretsOf),
    ...parts.workloadKinds.map((kind) =>
      cacheIndex(workloadKinds[kind].resource, concernIndex, (object) =>
        concernsOfWorkload(kind, object, parts),
      ),
    ),
  ];
}
