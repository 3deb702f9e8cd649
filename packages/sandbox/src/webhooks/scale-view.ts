import { type GenericObject, isRecord } from "@keelson/core";
import type { AdmissionRequest } from "../admission/admission.ts";
import { setValueAt } from "../resource/field-path.ts";
import type { MutableObject } from "../resource/mutable-object.ts";
import { scaleOf, scalePathsOf } from "../resource/scale.ts";

/** A write that a webhook could be asked about, and what the object looks like by now. */
export interface Candidate {
  readonly request: AdmissionRequest;
  readonly object: GenericObject | undefined;
}

/** Whether what is written is shown as a Scale, whatever has one. */
export function isScale({ subresource }: AdmissionRequest): boolean {
  return subresource === "scale";
}

/** A write as webhooks see it: of the scale of an object they see no more than that. */
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
