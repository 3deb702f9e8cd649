import type { GenericObject } from "@keelson/core";
import type { Pod } from "@keelson/core/kinds/core/v1";
import type { PriorityClass } from "@keelson/core/kinds/scheduling/v1";
import { decoded } from "../resource/mutable-object.ts";
import type { StoredObjects } from "../resource/stored-objects.ts";
import type { AdmissionRequest, MutatingAdmission, ValidatingAdmission } from "./admission.ts";
import { type PodDraft, podOf, refused } from "./admission.ts";

const priorityClasses = { group: "scheduling.k8s.io", plural: "priorityclasses" };

/** Sets the priority of new pods from their priority class. */
export function podPriority(read: StoredObjects): MutatingAdmission {
  return {
    name: "Priority",
    mutate(request, object) {
      const pod = podOf(request, object);
      if (pod?.spec === undefined) return;
      if (request.operation === "CREATE") prioritise(read, request, pod);
      else if (request.operation === "UPDATE") keepPriority(pod, request.oldObject);
    },
  };
}

function prioritise(read: StoredObjects, request: AdmissionRequest, pod: PodDraft): void {
  const { spec } = pod;
  if (spec === undefined) return;
  const fallback = defaultClass(read);
  const given = spec.priorityClassName ?? "";
  const name = given === "" ? (fallback?.metadata.name ?? "") : given;
  const found = given === "" ? fallback : classNamed(read, given);
  if (given !== "" && found === undefined) {
    throw refused(request, pod, `no PriorityClass with name ${given} was found`);
  }
  const { value = 0, preemptionPolicy = "PreemptLowerPriority" } = found ?? {};
  const computed = "must not be provided in pod spec; priority admission controller computed";
  if (spec.priority !== undefined && spec.priority !== value) {
    const why = `the integer value of priority (${spec.priority}) ${computed} ${value} from the given PriorityClass name`;
    throw refused(request, pod, why);
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    const why = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) ${computed} ${preemptionPolicy} from the given PriorityClass name`;
    throw refused(request, pod, why);
  }
  if (name !== "") spec.priorityClassName = name;
  spec.priority = value;
  spec.preemptionPolicy = preemptionPolicy;
}

/** Keeps the computed priority when an update leaves it out. */
function keepPriority({ spec }: PodDraft, old: GenericObject | undefined): void {
  const before = old === undefined ? undefined : storedPod(old).spec;
  if (spec === undefined || before === undefined) return;
  if (spec.priority === undefined && before.priority !== undefined) spec.priority = before.priority;
  if (spec.preemptionPolicy === undefined && before.preemptionPolicy !== undefined) {
    spec.preemptionPolicy = before.preemptionPolicy;
  }
}

/** Refuses a second default priority class. */
export function singleDefaultPriority(read: StoredObjects): ValidatingAdmission {
  return {
    name: "Priority",
    validate(request, object) {
      const { resource, operation, subresource } = request;
      if (resource.plural !== priorityClasses.plural || resource.group !== priorityClasses.group) return;
      if (subresource !== undefined || operation === "DELETE" || object?.globalDefault !== true) return;
      const other = defaultClass(read)?.metadata.name;
      if (other === undefined || (operation === "UPDATE" && other === object.metadata.name)) return;
      const why = `PriorityClass ${other} is already marked as default. Only one default can exist`;
      throw refused(request, object, why);
    },
  };
}

function classNamed(read: StoredObjects, name: string): PriorityClass | undefined {
  const object = read.get(priorityClasses, name);
  return object && stored(object);
}

/** The default class; the lowest if there are several. */
function defaultClass(read: StoredObjects): PriorityClass | undefined {
  let lowest: PriorityClass | undefined;
  for (const object of read.list(priorityClasses)) {
    const one = stored(object);
    if (one.globalDefault !== true) continue;
    if (lowest === undefined || (one.value ?? 0) < (lowest.value ?? 0)) lowest = one;
  }
  return lowest;
}

/** The schema of the kind has checked every stored object. */
function stored(object: GenericObject): PriorityClass {
  return decoded<PriorityClass>(object);
}

/** As above. */
function storedPod(object: GenericObject): Pod {
  return decoded<Pod>(object);
}
