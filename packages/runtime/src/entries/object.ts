// Applies, owns, updates, finalizes and evicts objects where there is no context of a reconcile.

export type { MutateFn, Upsert, UpsertOutcome } from "@keelson/client";
export { addFinalizer, createOrPatch, createOrUpdate, removeFinalizer } from "@keelson/client";
export type { OwnerReferenceOptions } from "@keelson/core";
export {
  AlreadyOwnedError,
  addFinalizerPatch,
  BeingDeletedError,
  CrossNamespaceOwnerError,
  formatJson,
  hasFinalizer,
  hasOwner,
  InvalidFinalizerError,
  NamespacedOwnerError,
  NotStoredError,
  ownerReferenceTo,
  parseJson,
  podTemplatesEqual,
  removeCondition,
  removeFinalizerPatch,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
  sortFields,
  withFinalizer,
  withoutFinalizer,
} from "@keelson/core";
export type { AppliedObject, GeneratedFields } from "../object/apply-owned.ts";
export { applyOwned, createOwnedOnce } from "../object/apply-owned.ts";
export type { CrdIncompatibility } from "../object/errors.ts";
export {
  formatIncompatibility,
  IncompatibleCrdsError,
  isRefusedPatch,
  StaleObjectError,
} from "../object/errors.ts";
export type { EvictionResult } from "../object/evict-pod.ts";
export { evictPod } from "../object/evict-pod.ts";
export type { EvictionPlan, EvictionState } from "../object/eviction-plan.ts";
export { planEvictions } from "../object/eviction-plan.ts";
export { imagePullPolicyOf } from "../object/image-pull-policy.ts";
export type { InstallCrdsOptions } from "../object/install-crds.ts";
export { installCrds } from "../object/install-crds.ts";
export type { OwnedOptions } from "../object/owned-objects.ts";
export {
  appliedAnnotation,
  isExisting,
  isOrphanOf,
  listOwned,
  pruneOwned,
  removeOwned,
} from "../object/owned-objects.ts";
export { writeStatus } from "../object/write-status.ts";
