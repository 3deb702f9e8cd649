import type { Stored } from "@keelson/core";
import type { ControllerRevision, StatefulSet, StatefulSetStatus } from "@keelson/core/kinds/apps/v1";
import type { Pod } from "@keelson/core/kinds/core/v1";
import { isBeingDeleted, isPodAvailable, isPodReady } from "../pod-state.ts";
import { nonZero } from "../replica-counts.ts";
import { revisionOfPod } from "./stateful-pod.ts";

export interface StatefulRevisions {
  readonly current: Stored<ControllerRevision>;
  readonly update: Stored<ControllerRevision>;
  readonly collisionCount: number;
}

/** The fields of the status that describe revisions. */
export type RevisionNames = Required<
  Pick<StatefulSetStatus, "currentRevision" | "updateRevision" | "collisionCount">
>;

export function revisionNames({ current, update, collisionCount }: StatefulRevisions): RevisionNames {
  const { name: currentRevision } = current.metadata;
  const { name: updateRevision } = update.metadata;
  return { currentRevision, updateRevision, collisionCount };
}

export function statefulStatus(
  set: Stored<StatefulSet>,
  pods: readonly Stored<Pod>[],
  { currentRevision, updateRevision, collisionCount }: RevisionNames,
  now: number,
): StatefulSetStatus {
  const ready = pods.filter(isRunningAndReady);
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const staying = pods.filter((pod) => !isBeingDeleted(pod));
  const updated = staying.filter((pod) => revisionOfPod(pod) === updateRevision).length;
  const isDone = isRolledOut(set, pods.length, ready.length, updated);
  return {
    ...nonZero({
      observedGeneration: set.metadata.generation,
      readyReplicas: ready.length,
      currentReplicas: isDone
        ? updated
        : staying.filter((pod) => revisionOfPod(pod) === currentRevision).length,
      updatedReplicas: updated,
    }),
    replicas: pods.length,
    availableReplicas: ready.filter((pod) => isPodAvailable(pod, minReadySeconds, now)).length,
    collisionCount,
    currentRevision: isDone ? updateRevision : currentRevision,
    updateRevision,
  };
}

/** When all pods are of the new revision, it is the current one. */
function isRolledOut({ spec }: Stored<StatefulSet>, pods: number, ready: number, updated: number): boolean {
  const replicas = spec?.replicas ?? 1;
  const isRolling = spec?.updateStrategy?.type !== "OnDelete";
  return isRolling && updated === replicas && ready === replicas && pods === replicas;
}

export function isRunningAndReady(pod: Stored<Pod>): boolean {
  return pod.status?.phase === "Running" && isPodReady(pod);
}
