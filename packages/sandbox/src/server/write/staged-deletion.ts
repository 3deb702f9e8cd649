import { formatTime, type GenericObject, isRecord } from "@keelson/core";
import type { MutableObject } from "../../resource/mutable-object.ts";

/**
 * Whether a first deletion only marks the object: Namespaces and CustomResourceDefinitions are removed when a controller
 * has deleted what they contain.
 */
export function marksFirst(collection: string): boolean {
  return Object.hasOwn(markings, collection);
}

/** Marks the object as being deleted, as its kind does it. */
export function markDeleted(collection: string, object: MutableObject, now: number): void {
  object.metadata.deletionTimestamp = formatTime(now);
  markings[collection]?.(object, now);
}

/** Whether the spec of the object holds back its deletion, although its metadata has no finalizers. */
export function isHeldByKind(collection: string, { spec }: GenericObject): boolean {
  if (collection !== "namespaces" || !isRecord(spec)) return false;
  const finalizers = spec.finalizers;
  return Array.isArray(finalizers) && finalizers.length > 0;
}

const markings: Readonly<Record<string, (object: MutableObject, now: number) => void>> = {
  namespaces(object) {
    const { status } = object;
    object.status = { ...(isRecord(status) ? status : {}), phase: "Terminating" };
  },
  "customresourcedefinitions.apiextensions.k8s.io": markDefinition,
};

const cleanup = "customresourcecleanup.apiextensions.k8s.io";

function markDefinition(object: MutableObject, now: number): void {
  const finalizers = object.metadata.finalizers ?? [];
  if (!finalizers.includes(cleanup)) object.metadata.finalizers = [...finalizers, cleanup];
  const status = isRecord(object.status) ? object.status : {};
  const given = status.conditions;
  const kept = (Array.isArray(given) ? given : []).filter(
    (condition) => !isRecord(condition) || condition.type !== "Terminating",
  );
  const terminating = {
    type: "Terminating",
    status: "True",
    lastTransitionTime: formatTime(now),
    reason: "InstanceDeletionPending",
    message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  };
  object.status = { ...status, conditions: [...kept, terminating] };
}
