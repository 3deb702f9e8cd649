import { defineOperator, type Manager, type Stored } from "keelson";
import { sendPost } from "keelson/client";
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
import { hashedKinds } from "./resource/hashed-kinds.ts";
import { resourceReader } from "./resource/resource-reader.ts";
import { upstream } from "./settings/upstream.ts";
import { annotationKeysOf, type ReloaderSettings, settings } from "./settings.ts";
import { Coalescing } from "./timing/coalescing.ts";
import { rateLimitsOf } from "./timing/rate-limits.ts";
import { concernIndex, concernsOfConfig, concernsOfWorkload } from "./workload/concerned-workloads.ts";
import { workloadController } from "./workload/controller.ts";
import type { ReloaderParts } from "./workload/parts.ts";
import { ShownProblems } from "./workload/shown-problems.ts";
import { targetIndex, targetsOf, targetValue } from "./workload/targets.ts";
import { type WorkloadKindName, workloadKindNames } from "./workload/workload-kind.ts";
import { workloadKinds } from "./workload/workload-kinds.ts";

/** The Reloader operator: `keelson run reloader`. */
export const reloader = defineOperator({
  name: "reloader",
  resources: [ReloaderConfig, ReloadRecord],
  settings,
  replaces: upstream,
  setup: (manager, chosen) => {
    const queue = new AlertQueue({ metrics: new AlertMetrics(manager.metrics.registry) });
    const parts = makeParts(manager, chosen, queue);
    addIndexes(manager, parts);
    manager.add(workloadController(parts));
    manager.add(alertRunnable(queue, manager, chosen, sendPost));
    manager.add(configController(parts, new AlertChecks(parts, configUrls(chosen))));
    if (chosen.recordHashOnResources) manager.declareUses("--record-hash-on-resources", recordHashUses);
  },
});

function makeParts({ metrics, clock }: Manager, chosen: ReloaderSettings, queue: AlertQueue): ReloaderParts {
  const keys = annotationKeysOf(chosen);
  const kinds = hashedKinds(chosen, keys);
  const { webhookUrl: url } = chosen;
  return {
    ...{ settings: chosen, keys, hashedKinds: kinds },
    workloadKinds: workloadKindNames.filter((kind) => isReloaded(kind, chosen)),
    readsNamespaces: true,
    reader: (client) => resourceReader(client, kinds),
    metrics: new ReloaderMetrics(metrics.registry, clock, {
      isByNamespace: chosen.metricsByNamespace,
    }),
    breaker: { reloads: chosen.circuitBreakerReloads, periodMs: chosen.circuitBreakerWindow },
    coalescing: new Coalescing(chosen.coalesceWindow),
    rateLimits: rateLimitsOf(chosen),
    shownProblems: new ShownProblems(),
    callWebhook:
      url === undefined
        ? undefined
        : ({ workload, changes, time }, signal) => {
            const { namespace, name } = workload.metadata;
            const ref = { kind: workload.kind, namespace, name };
            return callReloadWebhook({ url, workload: ref, changes, time }, { sendPost, clock }, signal);
          },
    sendAlert: (alert, configs) => queue.send(alert, channelsOf(configs, chosen)),
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

function addIndexes({ cache }: Manager, parts: ReloaderParts): void {
  cache.addIndex(ReloaderConfig, targetIndex, (config) => targetsOf(config).map(targetValue));
  cache.addIndex(ReloaderConfig, concernIndex, (config) => concernsOfConfig(config, parts));
  cache.addIndex(ReloaderConfig, alertSecretIndex, alertSecretsOf);
  for (const kind of parts.workloadKinds)
    cache.addIndex(workloadKinds[kind].resource, concernIndex, (object) =>
      concernsOfWorkload(kind, object, parts),
    );
}
