import { type Draft, isRecord } from "@keelson/core";
import type { Toleration } from "@keelson/core/kinds/core/v1";
import { type MutatingAdmission, podOf } from "./admission.ts";

const key = "node.kubernetes.io/not-ready";
const effect = "NoSchedule";

/** Taints new nodes, so that no pod is scheduled before the kubelet reports that the node is ready. */
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

const taints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
const seconds = 300;

/** Lets pods tolerate an unreachable node for five minutes, unless they have tolerations of their own. */
export const defaultTolerations: MutatingAdmission = {
  name: "DefaultTolerationSeconds",
  mutate(request, object) {
    if (request.operation !== "CREATE" && request.operation !== "UPDATE") return;
    const pod = podOf(request, object);
    if (pod?.spec === undefined) return;
    const given = pod.spec.tolerations ?? [];
    const missing = taints.filter((taint) => !given.some((one) => tolerates(one, taint)));
    if (missing.length > 0) pod.spec.tolerations = [...given, ...missing.map(toleration)];
  },
};

/** A missing or empty key or effect matches all of them. */
function tolerates({ key, effect }: Draft<Toleration>, taint: string): boolean {
  const effects: readonly unknown[] = [undefined, "", "NoExecute"];
  return (key === undefined || key === "" || key === taint) && effects.includes(effect);
}

function toleration(key: string): Draft<Toleration> {
  return { key, operator: "Exists", effect: "NoExecute", tolerationSeconds: seconds };
}
