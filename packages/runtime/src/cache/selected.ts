import type { Selection } from "@keelson/client";
import {
  type FieldRequirement,
  type KubeObject,
  type LabelQuery,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from "@keelson/core";
import { permanentFields, selectedValueOf } from "./selected-fields.ts";

/** Judges objects as the server does that watches a selection. */
export interface SelectionTest {
  /**
   * Whether an object as the server gave it belongs to the selection; undefined if that cannot be told, because a field
   * is not where its name says, or only the metadata was given.
   */
  judge(object: KubeObject): boolean | undefined;
  /** As `judge`, where there must be an answer: a field that is not there is taken to be empty. */
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
  const isOutside = ({ metadata }: KubeObject): boolean =>
    (namespace !== undefined && metadata.namespace !== namespace) || !matchesLabels(labels, metadata.labels);
  return {
    judge: (object) => {
      const verdicts = fields.map((field) => holdsFor(field, selectedValueOf(object, field.field)));
      if (isOutside(object) || verdicts.includes(false)) return false;
      return verdicts.includes(undefined) ? undefined : true;
    },
    isSelected: (object) =>
      !isOutside(object) &&
      fields.every((field) => holdsFor(field, selectedValueOf(object, field.field) ?? "") === true),
    mayBeSelected: (asked) =>
      asked === undefined || (namespace === undefined ? !excluded.includes(asked) : namespace === asked),
    isChangeable: isDemanding(labels) || fields.some(({ field }) => !permanentFields.has(field)),
  };
}

export function labelQueryOf(selector: Selection["labelSelector"]): LabelQuery {
  return typeof selector === "string" ? parseLabelSelector(selector) : (selector ?? {});
}

function isDemanding({ matchLabels = {}, matchExpressions = [] }: LabelQuery): boolean {
  return Object.keys(matchLabels).length > 0 || matchExpressions.length > 0;
}

/** What is the zero of its type is not there: `spec.unschedulable=false` holds without the field. */
function holdsFor({ operator, value }: FieldRequirement, actual: string | undefined): boolean | undefined {
  if (actual === undefined) return undefined;
  const isEqual = actual === value || (actual === "" && (value === "false" || value === "0"));
  return isEqual === (operator === "=");
}
