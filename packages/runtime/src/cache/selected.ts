import type { Selection } from "@keelson/client";
import {
  type FieldSelector,
  fieldsOf,
  type KubeObject,
  type LabelQuery,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from "@keelson/core";

/** Judges objects as the server does that watches a selection. */
export interface SelectionTest {
  /** Whether the object, whole as the server gave it, belongs to the selection. */
  isSelected(object: KubeObject): boolean;
  /** Whether an object may be in the selection, going by what never changes about it. */
  mayBeSelected(namespace: string | undefined): boolean;
  /** An object may join and leave the selection while it exists. */
  readonly isChangeable: boolean;
}

/** Throws for a selector that the server would refuse. */
export function selectionTest({ namespace, labelSelector, fieldSelector = "" }: Selection): SelectionTest {
  const labels = labelQueryOf(labelSelector);
  const fields = parseFieldSelector(fieldSelector);
  const excluded = fields
    .filter(({ field, operator }) => field === "metadata.namespace" && operator === "!=")
    .map(({ value }) => value);
  return {
    isSelected: (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      matchesLabels(labels, object.metadata.labels) &&
      holdsFor(fields, object),
    mayBeSelected: (asked) =>
      asked === undefined || (namespace === undefined ? !excluded.includes(asked) : namespace === asked),
    isChangeable: isDemanding(labels) || fields.some(({ field }) => !permanentFields.has(field)),
  };
}

export function labelQueryOf(selector: Selection["labelSelector"]): LabelQuery {
  return typeof selector === "string" ? parseLabelSelector(selector) : (selector ?? {});
}

const permanentFields: ReadonlySet<string> = new Set(["metadata.name", "metadata.namespace"]);

function isDemanding({ matchLabels = {}, matchExpressions = [] }: LabelQuery): boolean {
  return Object.keys(matchLabels).length > 0 || matchExpressions.length > 0;
}

/** A field that is not there is, to the server, the zero of its type: `spec.unschedulable=false` holds without it. */
function holdsFor(fields: FieldSelector, object: KubeObject): boolean {
  const fieldOf = fieldsOf(object);
  return fields.every(({ field, operator, value }) => {
    const actual = fieldOf(field);
    const isEqual = actual === value || (actual === "" && (value === "false" || value === "0"));
    return isEqual === (operator === "=");
  });
}
