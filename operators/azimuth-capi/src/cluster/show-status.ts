import { type ConditionUpdate, deepEqual, findCondition, mergeConditions } from "keelson";
import type { ClusterSpec, ClusterStatus } from "../api/cluster.ts";
import { provisionedCondition, Reason } from "../api/reasons.ts";
import { clusterStatusOf, type StatusFacts } from "../status/cluster-status.ts";
import type { ClusterContext, ClusterParts } from "./parts.ts";
import type { Provisioning, ProvisioningFacts } from "./provision.ts";

/** The status of a Cluster as it is now, and when the rest of it is to be written if that is later. */
export interface ShownStatus {
  readonly status: ClusterStatus;
  /** 0: all of it is written. */
  readonly detailsInMs: number;
}

/** Shows that a spec is about to be handled. */
export async function showTransition(
  context: ClusterContext,
  parts: ClusterParts,
  facts: ProvisioningFacts,
): Promise<void> {
  const kubeconfigSecretName = context.object.status?.kubeconfigSecretName ?? undefined;
  const handling = { isHandled: false, hasJustHandled: false };
  await context.setStatus(statusOf(context, parts, facts, { ...handling, kubeconfigSecretName }));
}

/** Shows what has become of a Cluster, in one write. */
export async function showProgress(
  context: ClusterContext,
  parts: ClusterParts,
  facts: ProvisioningFacts,
  progress: {
    readonly provisioning: Provisioning;
    readonly wasHandled: boolean;
    readonly kubeconfigSecretName: string | undefined;
  },
): Promise<ShownStatus> {
  const { object, clock, key, setStatus, event } = context;
  const { provisioning, wasHandled, kubeconfigSecretName } = progress;
  const isDone = provisioning.type === "done";
  const handling = { isHandled: isDone, hasJustHandled: isDone && !wasHandled && !facts.spec.paused };
  const before = object.status?.conditions;
  const { generation } = object.metadata;
  const provisioned = {
    ...conditionOf(provisioning, facts.spec),
    ...(generation && { observedGeneration: generation }),
  };
  const conditions = mergeConditions(before, [provisioned], clock.now());
  const status = { ...statusOf(context, parts, facts, { ...handling, kubeconfigSecretName }), conditions };
  const detailsInMs = wasHandled ? parts.statusPace.waitMs(key, object.status, status) : 0;
  if (detailsInMs > 0) return { status, detailsInMs };
  if (await setStatus(status)) parts.statusPace.wrote(key);
  const hasChanged = !deepEqual(
    findCondition(before, provisionedCondition),
    findCondition(conditions, provisionedCondition),
  );
  if (!isDone && hasChanged)
    event(provisioning.type === "failed" ? "Warning" : "Normal", provisioning.reason, provisioning.message);
  return { status, detailsInMs };
}

function conditionOf(provisioning: Provisioning, { paused }: ClusterSpec): ConditionUpdate {
  const type = provisionedCondition;
  if (provisioning.type !== "done") {
    const { reason, message } = provisioning;
    return { type, status: "False", reason, message };
  }
  return paused
    ? {
        type,
        status: "Unknown",
        reason: Reason.Paused,
        message: "spec.paused is set: nothing is done for this Cluster",
      }
    : { type, status: "True", reason: Reason.Provisioned, message: "the spec is installed" };
}

function statusOf(
  { object, clock }: ClusterContext,
  { settings }: ClusterParts,
  { spec, surroundings, services }: ProvisioningFacts,
  progress: Pick<StatusFacts, "isHandled" | "hasJustHandled"> & {
    readonly kubeconfigSecretName: string | undefined;
  },
): ClusterStatus {
  const { kubeconfigSecretName, ...handling } = progress;
  return clusterStatusOf(
    { ...surroundings, kubeconfigSecretName, services },
    {
      ...{ ...handling, spec, previous: object.status, nowMs: clock.now() },
      // A paused Cluster is not expected to become ready.
      timeoutMs: spec.paused ? Number.POSITIVE_INFINITY : settings.clusterTimeoutSeconds * 1000,
    },
  );
}
