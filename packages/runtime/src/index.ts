export type { Client, Reader, Writer } from "@keelson/client";
export {
  AlreadyExistsError,
  ApiError,
  BadRequestError,
  ConflictError,
  ForbiddenError,
  find,
  InvalidError,
  jsonPatch,
  mergePatch,
  NotFoundError,
  waitFor,
} from "@keelson/client";
export type {
  ApiUse,
  ApplyConfiguration,
  Clock,
  Condition,
  ConditionUpdate,
  GenericObject,
  Immutable,
  Keyed,
  Kind,
  KubeObject,
  LabelSelector,
  ObjectKey,
  ObjectMeta,
  ObjectOf,
  OwnerReference,
  Random,
  Resource,
  Stored,
} from "@keelson/core";
export {
  compareQuantities,
  controllerOf,
  deepEqual,
  draft,
  findCondition,
  formatKey,
  formatTime,
  isConditionTrue,
  isControlledBy,
  KeelsonError,
  keyOf,
  mergeConditions,
  metadataOnly,
  parseDurationMs,
  parseQuantity,
  setCondition,
  systemClock,
  usesOf,
} from "@keelson/core";
export type { CustomObject, DefinedResource, InputOf } from "@keelson/schema";
export {
  atomic,
  conditions,
  defineResource,
  duration,
  embeddedResource,
  envSources,
  envVariables,
  imagePullSecrets,
  immutable,
  intOrString,
  labelSelector,
  listMap,
  listSet,
  quantity,
  resourceRequirements,
  rule,
  sized,
  textResources,
  z,
} from "@keelson/schema";
export { cacheIndex, cacheKind } from "./cache/cache-settings.ts";
export { controller } from "./controller/builder.ts";
export type { ControllerDefinition } from "./controller/controller-definition.ts";
export type { EventRecorder } from "./controller/event-recorder.ts";
export { controllerFor } from "./controller/key-builder.ts";
export type { ObjectContext, ObjectReconciler } from "./controller/object-context.ts";
export type { ReconcileContext, ReconcileResult, Reconciler } from "./controller/reconciler.ts";
export { TerminalError } from "./controller/reconciler.ts";
export type { Logger } from "./logger.ts";
export { Manager } from "./manager/manager.ts";
export type { ManagerOptions } from "./manager/manager-options.ts";
export type { Operator, OperatorDefinition, SampleProgress } from "./manager/operator.ts";
export { defineOperator } from "./manager/operator.ts";
export { runUntilSignal } from "./manager/signals.ts";
export { ForeignObjectError } from "./object/errors.ts";
export { Channel } from "./source/channel.ts";
export { channelSource } from "./source/channel-source.ts";
export { intervalSource } from "./source/interval-source.ts";
export { pollSource } from "./source/poll-source.ts";
export type { Predicate } from "./source/predicates.ts";
export {
  allOf,
  annotationsChanged,
  anyOf,
  deletionStarted,
  finalizersChanged,
  generationChanged,
  inNamespaces,
  labelsChanged,
  matchesSelector,
  not,
} from "./source/predicates.ts";
export type { Source } from "./source/source.ts";
export { jsonLogger } from "./telemetry/log/json-logger.ts";
export type { Admission, Mutation, Validation } from "./webhook/admission.ts";
export { admission } from "./webhook/admission.ts";
export { conversion } from "./webhook/conversion.ts";
export { AdmissionDeniedError } from "./webhook/errors.ts";
