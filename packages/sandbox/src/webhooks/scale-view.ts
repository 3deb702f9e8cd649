import { type GenericObject, isRecord } from "@keelson/core";
import type { AdmissionRequest } from "../admission/admission.ts";
import { setValueAt } from "../resource/field-path.ts";
import type { MutableObject } from "../resource/mutable-object.ts";
import { scaleOf, scalePathsOf } from "../resource/scale.ts";

/** A write for which a webhook may be called, with the current state of the object. */
export interface Candidate {
  readonly request: AdmissionRequest;
  readonly object: GenericObject | undefined;
}

/** Whether the write is one of the scale subresource, for which webhooks see a Scale. */
export function isScale({ subresource }: AdmissionRequest): boolean {
  return subresource === "scale";
}

/** A write as webhooks see it: for the scale subresource they see the Scale instead of the object. */
export function shownWrite(request: AdmissionRequest, object: GenericObject | undefined): Candidate {
  if (!isScale(request)) return { request, object };
  const { resource, oldObject } = request;
  return {
    request: { ...request, oldObject: oldObject && scaleOf(resource, oldObject) },
    object: object && scaleOf(resource, object),
  };
}

/** Writes the replicas of a Scale that a webhook changed into the scaled object. */
export function setScale({ resource }: AdmissionRequest, object: MutableObject, scale: GenericObject): void {
  const replicas = isRecord(scale.spec) && typeof scale.spec.replicas === "number" ? scale.spec.replicas : 0;
  setValueAt(object, scalePathsOf(resource).specReplicasPath, replicas);
}
