import { type Draft, deepEqual, draft, type GenericObject } from "@keelson/core";
import type { Toleration } from "@keelson/core/kinds/core/v1";
import type { RuntimeClass } from "@keelson/core/kinds/node/v1";
import { decoded } from "../resource/mutable-object.ts";
import type { StoredObjects } from "../resource/stored-objects.ts";
import type { AdmissionRequest, MutatingAdmission } from "./admission.ts";
import { type PodDraft, podOf, refused } from "./admission.ts";

/** Sets the overhead, the node selector and the tolerations of the runtime class of new pods. */
export function runtimeClass(read: StoredObjects): MutatingAdmission {
  return {
    name: "RuntimeClass",
    mutate(request, object) {
      if (request.operation !== "CREATE") return;
      const pod = podOf(request, object);
      const name = pod?.spec?.runtimeClassName;
      if (pod === undefined || (name === undefined && pod.spec?.overhead === undefined)) return;
      const found =
        name === undefined ? undefined : read.get({ group: "node.k8s.io", plural: "runtimeclasses" }, name);
      if (name !== undefined && found === undefined) {
        throw refused(request, pod, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
      }
      setOverhead(request, pod, found && stored(found));
      if (found !== undefined) setScheduling(request, pod, stored(found));
    },
  };
}

function setOverhead(request: AdmissionRequest, pod: PodDraft, runtime: RuntimeClass | undefined): void {
  const { spec } = pod;
  if (spec === undefined) return;
  const overhead = runtime?.overhead?.podFixed;
  if (overhead === undefined) {
    if (spec.overhead === undefined) return;
    const why = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
    throw refused(request, pod, why);
  }
  if (spec.overhead !== undefined && !deepEqual(spec.overhead, overhead)) {
    throw refused(request, pod, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  }
  spec.overhead = draft(overhead);
}

function setScheduling(request: AdmissionRequest, pod: PodDraft, { scheduling }: RuntimeClass): void {
  const { spec } = pod;
  if (spec === undefined || scheduling === undefined) return;
  const { nodeSelector = {}, tolerations = [] } = scheduling;
  for (const [key, value] of Object.entries(nodeSelector)) {
    const own = spec.nodeSelector?.[key];
    if (own === undefined || own === value) continue;
    const why = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`;
    throw refused(request, pod, why);
  }
  if (Object.keys(nodeSelector).length > 0) spec.nodeSelector = { ...spec.nodeSelector, ...nodeSelector };
  const merged = [...(spec.tolerations ?? []), ...draft(tolerations)].filter(isFirst);
  if (merged.length > 0) spec.tolerations = merged;
}

function isFirst(one: Draft<Toleration>, index: number, all: readonly Draft<Toleration>[]): boolean {
  return all.findIndex((other) => deepEqual(other, one)) === index;
}

/** The schema of the kind has checked every stored object. */
function stored(object: GenericObject): RuntimeClass {
  return decoded<RuntimeClass>(object);
}
