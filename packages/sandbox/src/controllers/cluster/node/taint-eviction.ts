import { keyOf, type Stored } from "@keelson/core";
import { Node, Pod, type Taint } from "@keelson/core/kinds/core/v1";
import { type ControllerContext, controllerManager, type StartController } from "../../controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { ignoreNotFound } from "../../refusals.ts";
import { isBeingDeleted } from "../../workloads/pod-state.ts";
import { tolerates } from "../scheduler/filter-node.ts";
import { disruptionTarget, withCondition } from "./pod-end.ts";

const component = "taint-eviction-controller";

/** Deletes pods from nodes whose taints they do not tolerate, or no longer. */
export const startTaintEviction: StartController = (context) => {
  const { objects, clock } = context;
  /** Since when a pod stays only for a time; forgotten when the taints go. */
  const begun = new Map<string, number>();
  const loop = startKeyLoop({
    name: component,
    context,
    async reconcile(key) {
      const pod = objects.get(Pod, parseLoopKey(key));
      const waitMs = pod && toleratedMs(pod, objects.get(Node, { name: pod.spec?.nodeName ?? "" }));
      if (pod === undefined || isBeingDeleted(pod) || waitMs === undefined) {
        begun.delete(key);
        return;
      }
      const since = begun.get(key) ?? clock.monotonicNow();
      begun.set(key, since);
      const leftMs = since + waitMs - clock.monotonicNow();
      if (leftMs > 0) loop.enqueueAfter(key, leftMs);
      else await evict(context, pod);
    },
  });
  const stops = [
    context.watch(Node, ({ type, object, previous }) => {
      if (type === "DELETED" || object.spec?.taints === previous?.spec?.taints) return;
      if (type === "MODIFIED" && !hasEvicting(object) && !hasEvicting(previous)) return;
      for (const pod of objects.list(Pod)) {
        if (pod.spec?.nodeName === object.metadata.name) loop.enqueue(loopKey(pod));
      }
    }),
    context.watch(Pod, ({ object, previous }) => {
      const isMoved = object.spec?.nodeName !== previous?.spec?.nodeName;
      const isOther = object.spec?.tolerations !== previous?.spec?.tolerations;
      if (object.spec?.nodeName && (isMoved || isOther)) loop.enqueue(loopKey(object));
    }),
  ];
  return async () => {
    for (const stop of stops) stop();
    await loop.stop();
  };
};

function evictingTaints(node: Stored<Node> | undefined): readonly Taint[] {
  return (node?.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
}

function hasEvicting(node: Stored<Node> | undefined): boolean {
  return evictingTaints(node).length > 0;
}

/** How long a pod may stay on a node; undefined if for ever. */
function toleratedMs({ spec }: Stored<Pod>, node: Stored<Node> | undefined): number | undefined {
  let least: number | undefined;
  for (const taint of evictingTaints(node)) {
    const matching = (spec?.tolerations ?? []).filter((toleration) => tolerates(toleration, taint));
    if (matching.length === 0) return 0;
    for (const { tolerationSeconds } of matching) {
      if (tolerationSeconds === undefined) continue;
      least = Math.min(least ?? Number.POSITIVE_INFINITY, Math.max(0, tolerationSeconds) * 1000);
    }
  }
  return least;
}

async function evict({ objects, clock, recordEvent }: ControllerContext, pod: Stored<Pod>): Promise<void> {
  const { namespace, name } = pod.metadata;
  const message = `Marking for deletion Pod ${namespace}/${name}`;
  recordEvent(pod, { component, type: "Normal", reason: "TaintManagerEviction", message });
  const why = "Taint manager: deleting due to NoExecute taint";
  const condition = disruptionTarget(pod, clock.now(), "DeletionByTaintManager", why);
  const status = { ...pod.status, conditions: withCondition(pod.status?.conditions, condition) };
  await ignoreNotFound(
    objects.update(Pod, { ...pod, status }, { manager: controllerManager, subresource: "status" }),
  );
  await ignoreNotFound(objects.delete(Pod, keyOf(pod), { manager: controllerManager }));
}
