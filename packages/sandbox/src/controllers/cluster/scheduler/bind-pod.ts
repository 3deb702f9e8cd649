import { draft, formatTime, type GenericObject } from "@keelson/core";
import type { Pod } from "@keelson/core/kinds/core/v1";
import { StaleWriteError } from "../../../store/errors.ts";
import { storeKey } from "../../../store/store.ts";
import type { ControllerContext } from "../../controller.ts";

/** Puts a pod onto a node, as the binding subresource does. Gives false if the pod changed in the meantime. */
export function bindPod({ store, clock }: ControllerContext, pod: Pod, nodeName: string): boolean {
  const { namespace, name = "", resourceVersion } = pod.metadata;
  const next = draft<GenericObject>({ ...pod });
  const scheduled = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: formatTime(clock.now()),
  };
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
  next.spec = { ...pod.spec, nodeName };
  next.status = { ...pod.status, conditions: [...others, scheduled] };
  try {
    store.write({
      collection: "pods",
      key: storeKey(namespace, name),
      object: next,
      expectedRevision: Number(resourceVersion),
    });
    return true;
  } catch (error) {
    if (error instanceof StaleWriteError) return false;
    throw error;
  }
}
