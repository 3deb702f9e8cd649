import { isRecord } from "@keelson/core";
import type { MutatingAdmission } from "./admission.ts";

const key = "node.kubernetes.io/not-ready";
const effect = "NoSchedule";

/** Nothing is scheduled onto a new node before its kubelet says that it is ready. */
export const nodeTaint: MutatingAdmission = {
  name: "TaintNodesByCondition",
  mutate({ operation, resource, subresource }, object) {
    if (operation !== "CREATE" || resource.collection !== "nodes" || subresource !== undefined) return;
    if (object === undefined) return;
    const spec = isRecord(object.spec) ? object.spec : {};
    const taints: readonly unknown[] = Array.isArray(spec.taints) ? spec.taints : [];
    if (taints.some((taint) => isRecord(taint) && taint.key === key && taint.effect === effect)) return;
    object.spec = { ...spec, taints: [...taints, { key, effect }] };
  },
};
