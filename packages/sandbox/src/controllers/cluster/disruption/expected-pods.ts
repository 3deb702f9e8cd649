import { controllerOf, type LabelSelector, parseApiVersion, type Stored } from "@keelson/core";
import { Deployment, ReplicaSet, StatefulSet } from "@keelson/core/kinds/apps/v1";
import { type Pod, ReplicationController } from "@keelson/core/kinds/core/v1";
import type { PodDisruptionBudget } from "@keelson/core/kinds/policy/v1";
import type { ObjectApi } from "../../../server/write/object-api.ts";
import { scaledCount } from "../../workloads/replica-counts.ts";

interface ExpectedPods {
  readonly expected: number;
  readonly desiredHealthy: number;
  /** Whether pods without a controller make the numbers doubtful. */
  readonly hasUnmanaged: boolean;
}

/** The expected pods, or the name of a pod whose controller has no known scale. */
export type Expectation = ExpectedPods | { readonly unknownControllerOf: string };

/** How many pods a budget expects. A percentage refers to the desired replicas of the controllers of its pods. */
export function expectedPods(
  objects: ObjectApi,
  { spec }: Stored<PodDisruptionBudget>,
  pods: readonly Stored<Pod>[],
): Expectation {
  const { minAvailable, maxUnavailable } = spec ?? {};
  if (maxUnavailable === undefined && typeof minAvailable !== "string") {
    return {
      expected: minAvailable === undefined ? 0 : pods.length,
      desiredHealthy: minAvailable ?? 0,
      hasUnmanaged: false,
    };
  }
  const scales = new Map<string, number>();
  let hasUnmanaged = false;
  for (const pod of pods) {
    const controller = controllerOf(pod);
    if (controller === undefined) {
      hasUnmanaged = true;
      continue;
    }
    if (scales.has(controller.uid)) continue;
    const scale = scaleOf(objects, pod);
    if (scale === undefined) return { unknownControllerOf: pod.metadata.name };
    scales.set(scale.uid, scale.replicas);
  }
  const expected = [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
  const desiredHealthy =
    maxUnavailable === undefined
      ? scaledCount(minAvailable, expected, "up")
      : Math.max(0, expected - scaledCount(maxUnavailable, expected, "up"));
  return { expected, desiredHealthy, hasUnmanaged };
}

interface Scale {
  readonly uid: string;
  readonly replicas: number;
}

/** A ReplicaSet of a Deployment stands for the Deployment. */
function scaleOf(objects: ObjectApi, pod: Stored<Pod>): Scale | undefined {
  const controller = controllerOf(pod);
  if (controller === undefined) return undefined;
  const { namespace } = pod.metadata;
  const key = { namespace, name: controller.name };
  const { group } = parseApiVersion(controller.apiVersion);
  switch (`${group}/${controller.kind}`) {
    case "apps/ReplicaSet": {
      const set = objects.get(ReplicaSet, key);
      if (set?.metadata.uid !== controller.uid) return undefined;
      const owner = controllerOf(set);
      if (owner?.kind !== "Deployment") return { uid: controller.uid, replicas: set.spec?.replicas ?? 1 };
      const deployment = objects.get(Deployment, { namespace, name: owner.name });
      if (deployment?.metadata.uid !== owner.uid) return undefined;
      return { uid: owner.uid, replicas: deployment.spec?.replicas ?? 1 };
    }
    case "apps/StatefulSet":
      return replicasOf(objects.get(StatefulSet, key), controller.uid);
    case "/ReplicationController":
      return replicasOf(objects.get(ReplicationController, key), controller.uid);
    default:
      return undefined;
  }
}

function replicasOf(object: StatefulSet | ReplicationController | undefined, uid: string): Scale | undefined {
  return object?.metadata.uid === uid ? { uid, replicas: object.spec?.replicas ?? 1 } : undefined;
}

/** The message for a budget with a percentage that selects pods without a controller. */
export function unmanagedMessage(selector: LabelSelector | undefined): string {
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${selectorText(selector)}) were found to be unmanaged. ` +
    "As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. " +
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  );
}

/** As Go prints a selector. */
function selectorText(selector: LabelSelector | undefined): string {
  if (selector === undefined) return "nil";
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
