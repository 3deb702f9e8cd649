import {
  type FieldSelector,
  fieldsOf,
  type GenericObject,
  InvalidLabelSelectorError,
  type LabelQuery,
  matchesFields,
  matchesLabels,
  parseLabelSelector,
} from "@keelson/core";
import type { ServedResource } from "../../resource/served-resource.ts";
import { badRequest } from "../../status/api-error.ts";
import { readFieldSelector } from "../request/field-selector.ts";
import { formNow } from "../write/served-objects.ts";
import { labelSelectorProblem } from "./label-selector-problem.ts";

/** The objects of a kind that a request selects. */
export interface Selection {
  readonly namespace: string | undefined;
  /** The only name that can match. */
  readonly name: string | undefined;
  /** Whether some objects of the namespace may not match. */
  readonly isSelective: boolean;
  /** For objects in the storage version. */
  matches(object: GenericObject): boolean;
}

interface SelectionRequest {
  readonly resource: ServedResource;
  readonly namespace: string | undefined;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** The name in the path of a watch of one object. */
  readonly name?: string;
}

/** Throws ApiError for invalid selectors. */
export function selectionOf(request: SelectionRequest): Selection {
  const { resource, namespace, labelSelector, fieldSelector } = request;
  const labels = labelSelector === "" ? undefined : parseLabels(labelSelector);
  const fields = fieldSelector === "" ? [] : parseFields(resource, fieldSelector);
  const named = fields.find(({ field, operator }) => field === "metadata.name" && operator === "=");
  const name = request.name ?? named?.value;
  const isSelective = labels !== undefined || fields.length > 0 || name !== undefined;
  return {
    namespace,
    name,
    isSelective,
    matches(object) {
      const { metadata } = object;
      if (namespace !== undefined && metadata.namespace !== namespace) return false;
      if (!isSelective) return true;
      if (name !== undefined && metadata.name !== name) return false;
      if (labels !== undefined && !matchesLabels(labels, metadata.labels)) return false;
      return fields.length === 0 || matchesFields(fields, fieldReader(resource, object));
    },
  };
}

function fieldReader(resource: ServedResource, stored: GenericObject): (path: string) => string {
  const { selectField } = resource;
  const object = formNow(resource, stored) ?? stored;
  const read = fieldsOf(object);
  return (path) =>
    selectField === undefined || path.startsWith("metadata.") ? read(path) : selectField(object, path);
}

function parseLabels(selector: string): LabelQuery {
  try {
    return parseLabelSelector(selector);
  } catch (error) {
    if (!(error instanceof InvalidLabelSelectorError)) throw error;
    throw badRequest(labelSelectorProblem(selector) ?? error.message);
  }
}

function parseFields(resource: ServedResource, selector: string): FieldSelector {
  const parsed = readFieldSelector(selector);
  for (const { field } of parsed) {
    if (!isSelectable(resource, field)) throw badRequest(unknownField(resource, field));
  }
  return parsed;
}

function isSelectable(resource: ServedResource, field: string): boolean {
  if (field === "metadata.name" || resource.selectableFields.includes(field)) return true;
  if (field !== "metadata.namespace") return false;
  return resource.scope === "Namespaced" || (!resource.isCustom && !hasOwnFields(resource));
}

function hasOwnFields({ selectableFields }: ServedResource): boolean {
  return selectableFields.some((field) => field !== "metadata.name" && field !== "metadata.namespace");
}

function unknownField(resource: ServedResource, field: string): string {
  const { group, version, kind } = resource;
  if (!resource.isCustom && !hasOwnFields(resource)) {
    return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
  }
  if (!resource.isCustom && kind === "Job")
    return `field label ${JSON.stringify(field)} not supported for Job`;
  if (!resource.isCustom && kind === "ResourceSlice") {
    return `field label not supported for ${group}/${version}, Kind=${kind}: ${field}`;
  }
  return `field label not supported: ${field}`;
}
