import { type Stored, z } from "keelson";
import { ReloadRecord, type ReloadRecordStatus } from "../../src/api/reload-record.ts";
import { ReloaderConfig } from "../../src/api/reloader-config.ts";
import type { ReloaderConfigSpecInput } from "../../src/api/spec.ts";
import type { ReloaderConfigStatus } from "../../src/api/status.ts";
import type { Observation, ObservedTarget } from "../../src/config/observation.ts";
import type { WorkloadRef } from "../../src/workload/workload-kind.ts";

const stored = { resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };

/** A ReloaderConfig as the server returns it, `shop/mine`. */
export function reloaderConfig(
  spec: ReloaderConfigSpecInput,
  status?: ReloaderConfigStatus,
): Stored<ReloaderConfig> {
  return {
    apiVersion: "reloader.stakater.com/v1alpha1",
    kind: "ReloaderConfig",
    metadata: { ...stored, namespace: "shop", name: "mine", uid: "uid-of-mine", generation: 3 },
    spec: z.parse(ReloaderConfig.schemas.spec, spec),
    ...(status !== undefined && { status }),
  };
}

/** The Deployment `shop/web`. */
export const web: WorkloadRef = { kind: "Deployment", namespace: "shop", name: "web" };

/** The record of a workload. */
export function reloadRecord(
  status: ReloadRecordStatus,
  uid = "uid-of-record",
  { kind, namespace, name }: WorkloadRef = web,
): Stored<ReloadRecord> {
  return {
    apiVersion: "reloader.stakater.com/v1alpha1",
    kind: "ReloadRecord",
    metadata: { ...stored, namespace, name: `${kind.toLowerCase()}-${name}`, uid },
    spec: z.parse(ReloadRecord.schemas.spec, { kind, name, uid: "uid-of-workload" }),
    status,
  };
}

/** A target that exists. */
export function existing(fields: Partial<ObservedTarget> = {}): ObservedTarget {
  return { workload: web, presence: "exists", records: [], ...fields };
}

/** An observation of a config without problems. */
export function observation(fields: Partial<Observation> = {}): Observation {
  return {
    config: reloaderConfig({
      watchedResources: { secrets: ["db"] },
      targets: [{ kind: "Deployment", name: "web" }],
    }),
    ...{ isIgnored: false, targets: [existing()], resources: [], missing: [], unwatched: [] },
    problems: [],
    unresolvedAlerts: [],
    settings: { reloadStrategy: "env-vars", rolloutStrategy: "rollout" },
    nowMs: Date.parse("2026-01-01T01:00:00Z"),
    ...fields,
  };
}
