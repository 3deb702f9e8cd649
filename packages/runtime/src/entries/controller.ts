// Controllers, sources, event handlers and the causal log, for those who assemble them by hand.
export type { WatchedKindOptions } from "../controller/build-plan.ts";
export type { KindControllerOptions, OwnsOptions, WriteVerb } from "../controller/builder.ts";
export { KindControllerBuilder } from "../controller/builder.ts";
export type { CausalLogLimits, CausalLogOptions } from "../controller/causal/causal-log.ts";
export { CausalLog } from "../controller/causal/causal-log.ts";
export type { CallRecord } from "../controller/causal/recorded-calls.ts";
export type {
  ReasonRecord,
  RunEnd,
  RunRecord,
  RunRecorder,
  RunResult,
  RunStart,
} from "../controller/causal/recorded-run.ts";
export { Controller } from "../controller/controller.ts";
export type { ConcurrencyDefaults, ControllerOptions } from "../controller/controller-definition.ts";
export type { ControllerDependencies } from "../controller/controller-dependencies.ts";
export { ControllerNames } from "../controller/controller-names.ts";
export type { ControllerObserver, ResultLabel } from "../controller/controller-observer.ts";
export {
  ControllerError,
  ControllerReusedError,
  ControllerStoppedError,
  DuplicateControllerNameError,
  InvalidConditionError,
  InvalidControllerError,
  InvalidResultError,
  NotAnErrorThrownError,
  ReconcilerBrokenError,
  ReconcileTimeoutError,
  SourceFailedError,
  SourceSyncTimeoutError,
  StatusNotWrittenError,
} from "../controller/errors.ts";
export type { EventToRecord } from "../controller/event-recorder.ts";
export { noEvents } from "../controller/event-recorder.ts";
export { finalizerEventReasons } from "../controller/finalizers.ts";
export type { FieldManager } from "../controller/guard/field-owners.ts";
export type { HotLoopGuardOptions, HotLoopObserver } from "../controller/guard/hot-loop-guard.ts";
export { HotLoopGuard } from "../controller/guard/hot-loop-guard.ts";
export type {
  PingPongReport,
  ReplacementReport,
  SelfWokenReport,
} from "../controller/guard/hot-loop-reports.ts";
export type { GuardLimits } from "../controller/guard/loop-detection.ts";
export type { KeyDescription } from "../controller/key-builder.ts";
export { KeyControllerBuilder } from "../controller/key-builder.ts";
export type { ConditionOf, NameOrKey, StatusOf } from "../controller/object-context.ts";
export type { ReconcileRun, Requeue } from "../controller/reconciler.ts";
export type { ControllerTracer, RunTrace, RunTracer, TracedRun } from "../controller/run-tracer.ts";
export type { RunningWatch } from "../controller/source-watch.ts";

export type { ChangedField } from "../source/changed-paths.ts";
export { changedFields, changedPaths } from "../source/changed-paths.ts";
export type { ChannelOptions } from "../source/channel.ts";
export { ChannelClosedError } from "../source/channel.ts";
export type { ChannelSourceOptions, GenericPredicate } from "../source/channel-source.ts";
export type {
  EnqueueOwnerOptions,
  EventHandler,
  HandlerContext,
  Keys,
  MapObject,
} from "../source/handlers.ts";
export { enqueueMapped, enqueueOwner, enqueueSelf } from "../source/handlers.ts";
export type { IntervalSourceOptions } from "../source/interval-source.ts";
export type { InformerSourceOptions, KindSourceOptions } from "../source/kind-source.ts";
export { informerSource, kindSource } from "../source/kind-source.ts";
export type { PollSourceOptions } from "../source/poll-source.ts";
export { named, predicateOf, resourceVersionChanged } from "../source/predicates.ts";
export { HandlerTimeoutError } from "../source/slow-handlers.ts";
export type {
  Enqueue,
  EnqueueOptions,
  HandlerFailure,
  RunningSource,
  RunSource,
  SourceContext,
} from "../source/source.ts";
export { lowPriority, sourceOf } from "../source/source.ts";
export type { GenericEvent, SourceEvent } from "../source/source-event.ts";
