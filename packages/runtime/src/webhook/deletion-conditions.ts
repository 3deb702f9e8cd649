import type { MatchCondition, RuleWithOperations } from "@keelson/core/kinds/admissionregistration/v1";
import type { AdmissionSettings } from "./admission.ts";

/** Holds for every request but an update of an object that is being deleted. A null `oldObject` is not looked into. */
const notBeingDeleted = "request.operation != 'UPDATE' || !has(oldObject.metadata.deletionTimestamp)";

/** Metadata that a change of the finalizers changes as well, or that the server sets and ignores in a request. */
const withFinalizers = "['finalizers', 'managedFields', 'resourceVersion', 'generation']";

/** Holds if a field of `object` differs from `oldObject`, except for the finalizers. */
const changesMoreThanFinalizers = [
  "object.exists(f, f != 'metadata' && (!(f in oldObject) || object[f] != oldObject[f]))",
  "oldObject.exists(f, !(f in object))",
  `object.metadata.exists(f, !(f in ${withFinalizers}) && (!(f in oldObject.metadata) || object.metadata[f] != oldObject.metadata[f]))`,
  `oldObject.metadata.exists(f, !(f in ${withFinalizers}) && !(f in object.metadata))`,
].join(" || ");

/** The match conditions by which updates of an object that is being deleted pass without the webhook [WH10]. */
export function deletionConditions(
  { duringDeletion = "SkipFinalizers", subresource }: AdmissionSettings,
  { operations = [] }: RuleWithOperations,
): readonly MatchCondition[] {
  if (!operations.includes("UPDATE")) return [];
  if (duringDeletion === "SkipUpdates") return [{ name: "not-being-deleted", expression: notBeingDeleted }];
  // Finalizers are not changed through a subresource.
  if (duringDeletion === "Call" || subresource !== undefined) return [];
  const expression = `${notBeingDeleted} || ${changesMoreThanFinalizers}`;
  return [{ name: "more-than-finalizers-during-deletion", expression }];
}
