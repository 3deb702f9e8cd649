import {
  type Client,
  find,
  type KubeObject,
  mergePatch,
  NotFoundError,
  type Resource,
  type Stored,
} from "keelson";
import { type Projected, projected } from "keelson/cache";
import { DaemonSet, Deployment, StatefulSet } from "keelson/kinds/apps/v1";
import type { PodTemplateSpec } from "keelson/kinds/core/v1";
import type { NamedConsumer } from "../api/consumer.ts";
import { fieldOwner, restartedAtAnnotation } from "../api/names.ts";

/** What the cache keeps of a workload whose pods are restarted by a rollout. */
interface WorkloadState {
  /** When the operator last restarted it; undefined if it never did. */
  readonly restartedAt: string | undefined;
  /**
   * Whether a changed pod template replaces all pods. A workload with updateStrategy OnDelete waits for their deletion, and a
   * StatefulSet with a partition keeps those below it.
   */
  readonly replacesPods: boolean;
  /** Whether its rollouts are paused. */
  readonly isPaused: boolean;
  /** Whether all pods are of the current template. */
  readonly isRolledOut: boolean;
  /** How many pods it should have. */
  readonly desired: number;
  /** Such as `2 of 3 pods are replaced`. */
  readonly progress: string;
}

type WorkloadResource = Resource<Projected<KubeObject, WorkloadState>>;

/** A workload, reduced to the state of its rollout. */
export type RolledWorkload = Stored<Projected<KubeObject, WorkloadState>>;

const projection = "shared-secret";

/** The kinds whose pods are restarted by a rollout, by name. */
export const rolledKinds: ReadonlyMap<
  string,
  { readonly whole: Resource; readonly reduced: WorkloadResource }
> = new Map([
  [
    Deployment.kind,
    { whole: Deployment, reduced: projected(Deployment, { name: projection, project: ofDeployment }) },
  ],
  [
    StatefulSet.kind,
    { whole: StatefulSet, reduced: projected(StatefulSet, { name: projection, project: ofStatefulSet }) },
  ],
  [
    DaemonSet.kind,
    { whole: DaemonSet, reduced: projected(DaemonSet, { name: projection, project: ofDaemonSet }) },
  ],
]);

/** The workload that a consumer names; undefined if it does not exist, or is not restarted by rollouts. */
export async function findWorkload(
  client: Client,
  consumer: NamedConsumer,
): Promise<RolledWorkload | undefined> {
  const kind = rolledKinds.get(consumer.kind);
  return kind === undefined ? undefined : find(client, kind.reduced, consumer);
}

/**
 * Restarts the pods of a workload by changing an annotation of their template, as `kubectl rollout restart` does. Its
 * time shows that it was done, so a restart is never repeated. False if the workload does not exist any more.
 */
export async function rollOut(
  client: Client,
  { kind, namespace, name }: NamedConsumer,
  { metadata: { uid } }: RolledWorkload,
  time: string,
): Promise<boolean> {
  const resource = rolledKinds.get(kind)?.whole;
  if (resource === undefined) return false;
  const template = { metadata: { annotations: { [restartedAtAnnotation]: time } } };
  try {
    // With the uid, the server refuses the patch if the workload was deleted and created again.
    const patch = mergePatch({ metadata: { uid }, spec: { template } });
    await client.patch(resource, { namespace, name }, patch, { fieldOwner });
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}

function ofDeployment({ metadata, spec, status = {} }: Stored<Deployment>): WorkloadState {
  const { replicas: total = 0, updatedReplicas: updated = 0 } = status;
  const desired = spec?.replicas ?? 1;
  return {
    ...stateOf(spec?.template, { metadata, status }, { total, updated, desired }),
    replacesPods: true,
    isPaused: spec?.paused === true,
  };
}

function ofStatefulSet({ metadata, spec, status }: Stored<StatefulSet>): WorkloadState {
  const { replicas: total = 0, updatedReplicas: updated = 0 } = status ?? {};
  const desired = spec?.replicas ?? 1;
  // A StatefulSet that was rolled out counts none of its pods as updated until the next rollout.
  const { currentRevision, updateRevision } = status ?? {};
  const isOfOneRevision = currentRevision !== undefined && currentRevision === updateRevision;
  return {
    ...stateOf(
      spec?.template,
      { metadata, status },
      { total, updated: isOfOneRevision ? total : updated, desired },
    ),
    replacesPods:
      spec?.updateStrategy?.type !== "OnDelete" &&
      (spec?.updateStrategy?.rollingUpdate?.partition ?? 0) === 0,
    isPaused: false,
  };
}

function ofDaemonSet({ metadata, spec, status }: Stored<DaemonSet>): WorkloadState {
  const { currentNumberScheduled: total = 0, updatedNumberScheduled: updated = 0 } = status ?? {};
  const desired = status?.desiredNumberScheduled ?? 0;
  return {
    ...stateOf(spec?.template, { metadata, status }, { total, updated, desired }),
    replacesPods: spec?.updateStrategy?.type !== "OnDelete",
    isPaused: false,
  };
}

interface Observed {
  readonly metadata: KubeObject["metadata"];
  readonly status?: { readonly observedGeneration?: number } | undefined;
}

interface Counts {
  /** All pods. */
  readonly total: number;
  /** Those of the current template. */
  readonly updated: number;
  readonly desired: number;
}

function stateOf(
  template: PodTemplateSpec | undefined,
  { metadata, status }: Observed,
  { total, updated, desired }: Counts,
): Pick<WorkloadState, "restartedAt" | "isRolledOut" | "desired" | "progress"> {
  const isObserved = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return {
    restartedAt: template?.metadata?.annotations?.[restartedAtAnnotation],
    isRolledOut: isObserved && updated >= desired && total <= updated,
    desired,
    progress: `${isObserved ? Math.min(updated, desired) : 0} of ${desired} pods are replaced`,
  };
}
