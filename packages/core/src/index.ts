export { abortable, aborted } from "./abortable.ts";
export type { ApiUse, NonResourceUse, ResourceUse } from "./api-use.ts";
export { usesOf } from "./api-use.ts";
export type { ApplyConfiguration } from "./apply-configuration.ts";
export type { CancelTimer, Clock } from "./clock.ts";
export { formatTime, sleep } from "./clock.ts";
export type { ConditionUpdate } from "./conditions.ts";
export {
  findCondition,
  isConditionTrue,
  mergeConditions,
  removeCondition,
  setCondition,
} from "./conditions.ts";
export type { CronSchedule } from "./cron/cron-schedule.ts";
export { parseCronSchedule } from "./cron/cron-schedule.ts";
export { nextCronTime } from "./cron/next-time.ts";
export { formatTimeIn, isKnownTimeZone } from "./cron/wall-time.ts";
export { cutText } from "./cut-text.ts";
export { formatDurationMs, parseDuration, parseDurationMs } from "./duration.ts";
export { errorCode, KeelsonError, toError } from "./error.ts";
export type { FieldRequirement, FieldSelector } from "./field-selector.ts";
export {
  fieldsOf,
  formatFieldSelector,
  InvalidFieldSelectorError,
  matchesFields,
  parseFieldSelector,
} from "./field-selector.ts";
export {
  addFinalizerPatch,
  BeingDeletedError,
  hasFinalizer,
  InvalidFinalizerError,
  removeFinalizerPatch,
  withFinalizer,
  withoutFinalizer,
} from "./finalizer.ts";
export type {
  ClientCertificate,
  HttpService,
  Listen,
  Listener,
  ListenOptions,
  ServiceRequest,
  ServiceResponse,
  ServingCertificate,
} from "./http-service.ts";
export { DropConnectionError } from "./http-service.ts";
export type { Draft, Immutable } from "./immutable.ts";
export { draft, freeze } from "./immutable.ts";
export type { IpAddress, ParseIpAddressOptions } from "./ip-address.ts";
export { formatIpAddress, parseIpAddress } from "./ip-address.ts";
export { isCoveredBy } from "./is-covered-by.ts";
export type { DiffJsonOptions, JsonPatchOperation } from "./json.ts";
export { deepEqual, diffJson, isDeeperThan, isRecord, pointer } from "./json.ts";
export { formatJson, parseJson } from "./json-text.ts";
export type {
  Kubeconfig,
  KubeconfigAuthProvider,
  KubeconfigCluster,
  KubeconfigContext,
  KubeconfigExec,
  KubeconfigExtension,
  KubeconfigUser,
} from "./kubeconfig.ts";
export type { LabelComparison, LabelQuery, LabelQueryRequirement } from "./label-selector.ts";
export {
  formatLabelSelector,
  InvalidLabelSelectorError,
  isLabelSelector,
  labelsToSelector,
  matchesLabels,
  validateLabelSelector,
} from "./label-selector.ts";
export { parseLabelSelector } from "./label-selector-parser.ts";
export type {
  ClusterMeta,
  Condition,
  GenericObject,
  Keyed,
  KubeList,
  KubeObject,
  LabelSelector,
  LabelSelectorRequirement,
  ListMeta,
  ManagedFieldsEntry,
  NamespacedMeta,
  ObjectMeta,
  OwnerReference,
  Stored,
  UnstoredMeta,
} from "./meta.ts";
export { dnsLabelProblem, dnsSubdomainProblem, labelValueProblem, qualifiedNameProblem } from "./name.ts";
export { podTemplatesEqual } from "./normal-form.ts";
export type { ObjectOfKind, OwnedObject, OwnerReferenceOptions } from "./owner-reference.ts";
export {
  AlreadyOwnedError,
  CrossNamespaceOwnerError,
  controllerOf,
  hasOwner,
  isControlledBy,
  NamespacedOwnerError,
  OwnerKindError,
  ownerReferenceTo,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from "./owner-reference.ts";
export type { Projected, ProjectedFields, Projection, ProjectionOptions } from "./projected.ts";
export { hasIdentityOf, identityOf, projected, reduceTo, wholeOf } from "./projected.ts";
export { isPublicAddress } from "./public-address.ts";
export type { Quantity, QuantityFormat } from "./quantity.ts";
export {
  addQuantities,
  compareQuantities,
  formatQuantity,
  InvalidQuantityError,
  parseQuantity,
  quantityAsStored,
  roundUpQuantity,
  subtractQuantities,
} from "./quantity.ts";
export type { Random, RandomBytes } from "./random.ts";
export { randomUuid, seededRandom } from "./random.ts";
export type {
  GroupVersionKind,
  Kind,
  ObjectKey,
  ObjectOf,
  PartialObjectMetadata,
  Resource,
  Scope,
  WrittenAs,
} from "./resource.ts";
export {
  apiVersionOf,
  formatKey,
  genericResource,
  groupResourceOf,
  ifServed,
  kindOf,
  metadataOnly,
  parseApiVersion,
  servedIdentityOf,
} from "./resource.ts";
export {
  compareResourceVersions,
  InvalidResourceVersionError,
  isNewer,
  isResourceVersion,
} from "./resource-version.ts";
export { compareText, sortFields } from "./sort-fields.ts";
export type { Status, StatusCause, StatusDetails } from "./status.ts";
export { isStatus } from "./status.ts";
export { isStored, keyOf, NotStoredError } from "./stored-object.ts";
export { systemClock } from "./system-clock.ts";
export { systemRandom, systemRandomBytes } from "./system-random.ts";
export type {
  OutgoingPost,
  PostResponse,
  Transport,
  TransportRequest,
  TransportResponse,
} from "./transport.ts";
export { AddressRefusedError, PostError } from "./transport.ts";
