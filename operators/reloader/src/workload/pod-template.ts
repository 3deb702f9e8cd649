import type { PodTemplateSpec } from "keelson/kinds/core/v1";
import { isRecord } from "keelson/low-level";

/**
 * Whether a value has the shape of a pod template, as far as the operator reads it. The schema of a custom resource may
 * accept anything in the place of a template, and a list that is none would end every reconcile with a TypeError.
 */
export function isPodTemplate(value: unknown): value is PodTemplateSpec {
  return (
    isRecord(value) &&
    (value.metadata === undefined || isTemplateMetadata(value.metadata)) &&
    isRecord(value.spec) &&
    isListOf(isContainer, value.spec.containers) &&
    isListOf(isContainer, value.spec.initContainers ?? []) &&
    isListOf(isVolume, value.spec.volumes ?? [])
  );
}

function isTemplateMetadata(value: unknown): boolean {
  return isRecord(value) && [value.labels, value.annotations].every(isTextRecord);
}

function isTextRecord(value: unknown): boolean {
  return (
    value === undefined || (isRecord(value) && Object.values(value).every((text) => typeof text === "string"))
  );
}

function isContainer(value: unknown): boolean {
  return (
    isNamed(value) &&
    isListOf(isEnvVariable, value.env ?? []) &&
    isListOf(isRecord, value.envFrom ?? []) &&
    isListOf(isRecord, value.volumeMounts ?? [])
  );
}

function isEnvVariable(value: unknown): boolean {
  return isNamed(value) && (value.valueFrom === undefined || isRecord(value.valueFrom));
}

function isVolume(value: unknown): boolean {
  if (!isNamed(value)) return false;
  const { projected } = value;
  return projected === undefined || (isRecord(projected) && isListOf(isRecord, projected.sources ?? []));
}

function isNamed(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && typeof value.name === "string";
}

function isListOf(isElement: (value: unknown) => boolean, value: unknown): boolean {
  return Array.isArray(value) && value.every(isElement);
}
