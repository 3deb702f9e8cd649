import { type ApiUse, usesOf } from "keelson";
import { ReplicaSet } from "keelson/kinds/apps/v1";
import { Job } from "keelson/kinds/batch/v1";
import { Pod, ReplicationController } from "keelson/kinds/core/v1";
import { ReloadRecord } from "../api/reload-record.ts";
import type { WorkloadKindName } from "./workload-kind.ts";
import { workloadKinds } from "./workload-kinds.ts";

/** What reloads use of the API, beyond to list and watch: Secrets and ConfigMaps are never written. */
export function reloadUses(kinds: readonly WorkloadKindName[]): readonly ApiUse[] {
  return [
    ...usesOf(ReloadRecord, ["create", "patch", "delete"]),
    ...usesOf(ReloadRecord, ["patch"], "status"),
    ...kinds.flatMap(usesOfKind),
    // A restart evicts pods.
    ...usesOf(Pod, ["list"]),
    ...usesOf(Pod, ["create"], "eviction"),
  ];
}

function usesOfKind(kind: WorkloadKindName): readonly ApiUse[] {
  switch (kind) {
    case "Job":
      return usesOf(Job, ["get", "create", "delete"]);
    case "CronJob":
      return [
        ...usesOf(workloadKinds.CronJob.resource, ["get", "patch"]),
        // An owner reference that blocks the owner's deletion is an update of its finalizers where that is enforced.
        ...usesOf(workloadKinds.CronJob.resource, ["update"], "finalizers"),
        ...usesOf(Job, ["create"]),
      ];
    case "Deployment":
      return [...usesOf(workloadKinds.Deployment.resource, ["patch"]), ...usesOf(ReplicaSet, ["list"])];
    case "DeploymentConfig":
      return [
        ...usesOf(workloadKinds.DeploymentConfig.resource, ["patch"]),
        ...usesOf(ReplicationController, ["list"]),
      ];
    default:
      return usesOf(workloadKinds[kind].resource, ["patch"]);
  }
}
