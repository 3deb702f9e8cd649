import { defineOperator, type Manager } from "keelson";
import { ReloadRecord } from "./api/reload-record.ts";
import { ReloaderConfig } from "./api/reloader-config.ts";
import { ReloaderMetrics } from "./metrics.ts";
import { hashedKinds } from "./resource/hashed-kinds.ts";
import { resourceReader } from "./resource/resource-reader.ts";
import { annotationKeysOf, type ReloaderSettings, settings } from "./settings.ts";
import { Coalescing } from "./timing/coalescing.ts";
import { RateLimits } from "./timing/rate-limits.ts";
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
  setup: (manager, chosen) => {
    const parts = makeParts(manager, chosen);
    addIndexes(manager, parts);
    manager.add(workloadController(parts));
  },
});

function makeParts(manager: Manager, chosen: ReloaderSettings): ReloaderParts {
  const keys = annotationKeysOf(chosen);
  const kinds = hashedKinds(chosen, keys);
  const { maxReloadsPerMinute, maxReloadsPerMinutePerNamespace } = chosen;
  return {
    ...{ settings: chosen, keys, hashedKinds: kinds },
    workloadKinds: workloadKindNames.filter((kind) => isReloaded(kind, chosen)),
    readsNamespaces: true,
    reader: (client) => resourceReader(client, kinds),
    metrics: new ReloaderMetrics(manager.metrics.registry, { isByNamespace: chosen.metricsByNamespace }),
    breaker: { reloads: chosen.circuitBreakerReloads, periodMs: chosen.circuitBreakerWindow },
    coalescing: new Coalescing(chosen.coalesceWindow),
    rateLimits: new RateLimits({
      ...(maxReloadsPerMinute > 0 && {
        global: { perMinute: maxReloadsPerMinute, burst: maxReloadsPerMinute },
      }),
      ...(maxReloadsPerMinutePerNamespace > 0 && {
        perNamespace: { perMinute: maxReloadsPerMinutePerNamespace, burst: maxReloadsPerMinutePerNamespace },
      }),
    }),
    shownProblems: new ShownProblems(),
    callWebhook: undefined,
    sendAlert: () => undefined,
  };
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
  for (const kind of parts.workloadKinds)
    cache.addIndex(workloadKinds[kind].resource, concernIndex, (object) =>
      concernsOfWorkload(kind, object, parts),
    );
}
