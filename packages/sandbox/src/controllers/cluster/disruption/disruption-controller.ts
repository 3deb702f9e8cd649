import { type Condition, formatTime, matchesLabels, type Stored } from "@keelson/core";
import { Pod } from "@keelson/core/kinds/core/v1";
import { PodDisruptionBudget, type PodDisruptionBudgetStatus } from "@keelson/core/kinds/policy/v1";
import type { ControllerContext, StartController } from "../../controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { writeStatus } from "../../workloads/controlled-objects.ts";
import { isBeingDeleted, isPodReady, timeOf } from "../../workloads/pod-state.ts";
import { expectedPods, unmanagedMessage } from "./expected-pods.ts";

const component = "controllermanager";
/** A pod whose eviction was allowed counts as healthy again if it is not deleted within this time. */
const deletionTimeoutMs = 120_000;

/** Writes to the status of each PodDisruptionBudget how many of its pods may be disrupted now. */
export const startDisruptionController: StartController = (context) => {
  const loop = startKeyLoop({
    name: "disruption-controller",
    context,
    async reconcile(key) {
      const recheckMs = await reconcile(context, key);
      if (recheckMs !== undefined) loop.enqueueAfter(key, recheckMs);
    },
  });
  function enqueueBudgetsOf(pod: Stored<Pod>): void {
    for (const budget of context.objects.list(PodDisruptionBudget, pod.metadata.namespace)) {
      if (matchesLabels(budget.spec?.selector, pod.metadata.labels)) loop.enqueue(loopKey(budget));
    }
  }
  const stops = [
    context.watch(PodDisruptionBudget, ({ type, object }) => {
      if (type !== "DELETED") loop.enqueue(loopKey(object));
    }),
    context.watch(Pod, ({ object, previous }) => {
      enqueueBudgetsOf(object);
      if (previous !== undefined && previous.metadata.labels !== object.metadata.labels)
        enqueueBudgetsOf(previous);
    }),
  ];
  return async () => {
    for (const stop of stops) stop();
    await loop.stop();
  };
};

/** Gives after how many milliseconds to look again. */
async function reconcile(context: ControllerContext, key: string): Promise<number | undefined> {
  const { objects, clock, recordEvent } = context;
  const budget = objects.get(PodDisruptionBudget, parseLoopKey(key));
  if (budget === undefined) return undefined;
  const pods = objects
    .list(Pod, budget.metadata.namespace)
    .filter((pod) => matchesLabels(budget.spec?.selector, pod.metadata.labels));
  if (pods.length === 0) {
    const message = "No matching pods found";
    recordEvent(budget, { component, type: "Normal", reason: "NoPods", message });
  }
  const expectation = expectedPods(objects, budget, pods);
  if ("unknownControllerOf" in expectation) {
    const problem = `found no controllers for pod ${JSON.stringify(expectation.unknownControllerOf)}`;
    const message = `Failed to calculate the number of expected pods: ${problem}`;
    recordEvent(budget, { component, type: "Warning", reason: "CalculateExpectedPodCountFailed", message });
    await writeFailure(context, budget, problem);
    return undefined;
  }
  if (expectation.hasUnmanaged) {
    const message = unmanagedMessage(budget.spec?.selector);
    recordEvent(budget, { component, type: "Warning", reason: "UnmanagedPods", message });
  }
  const now = clock.now();
  const { disruptedPods, recheckMs } = stillDisrupted(budget, pods, now);
  const currentHealthy = pods.filter(
    (pod) => !isBeingDeleted(pod) && disruptedPods[pod.metadata.name] === undefined && isPodReady(pod),
  ).length;
  const { expected, desiredHealthy } = expectation;
  const disruptionsAllowed = expected <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const { generation } = budget.metadata;
  const status: PodDisruptionBudgetStatus = {
    conditions: [allowedCondition(budget, disruptionsAllowed > 0, formatTime(now))],
    currentHealthy,
    desiredHealthy,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    disruptionsAllowed,
    expectedPods: expected,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  await writeStatus(context, PodDisruptionBudget, budget, status);
  return recheckMs;
}

function allowedCondition(
  { metadata, status }: Stored<PodDisruptionBudget>,
  isAllowed: boolean,
  now: string,
): Condition {
  return conditionWith(status?.conditions, now, {
    status: isAllowed ? "True" : "False",
    reason: isAllowed ? "SufficientPods" : "InsufficientPods",
    message: "",
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
  });
}

function conditionWith(
  before: readonly Condition[] | undefined,
  now: string,
  next: Pick<Condition, "status" | "reason" | "message" | "observedGeneration">,
): Condition {
  const old = before?.find(({ type }) => type === "DisruptionAllowed");
  const lastTransitionTime = old?.status === next.status ? old.lastTransitionTime : now;
  return { type: "DisruptionAllowed", lastTransitionTime, ...next };
}

async function writeFailure(
  context: ControllerContext,
  budget: Stored<PodDisruptionBudget>,
  message: string,
): Promise<void> {
  const { status } = budget;
  const condition = conditionWith(status?.conditions, formatTime(context.clock.now()), {
    status: "False",
    reason: "SyncFailed",
    message,
    ...(status?.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
  });
  await writeStatus(context, PodDisruptionBudget, budget, {
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    ...status,
    disruptionsAllowed: 0,
    conditions: [condition],
  });
}

/** The pods whose eviction was allowed and that still exist, until the deletion timeout. */
function stillDisrupted(
  { status }: Stored<PodDisruptionBudget>,
  pods: readonly Stored<Pod>[],
  now: number,
): { readonly disruptedPods: Readonly<Record<string, string>>; readonly recheckMs: number | undefined } {
  const disruptedPods: Record<string, string> = {};
  let recheckMs: number | undefined;
  for (const pod of pods) {
    const { name } = pod.metadata;
    const time = status?.disruptedPods?.[name];
    if (time === undefined || isBeingDeleted(pod)) continue;
    const leftMs = (timeOf(time) ?? 0) + deletionTimeoutMs - now;
    if (leftMs <= 0) continue;
    disruptedPods[name] = time;
    recheckMs = Math.min(recheckMs ?? leftMs, leftMs);
  }
  return { disruptedPods, recheckMs };
}
