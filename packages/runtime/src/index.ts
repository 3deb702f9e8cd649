// biome-ignore-all lint/style/noExcessiveLinesPerFile: a list of names is read by searching, and splitting it would hide some
export type {
  ApiCall,
  ApplyOptions,
  Caller,
  CallOptions,
  Client,
  ClientOptions,
  ClusterAccess,
  Command,
  CommandEnd,
  CommandResult,
  Connection,
  ConnectOptions,
  DefaultAccessOptions,
  DeleteOptions,
  Desire,
  DiscoveredResource,
  Environment,
  ExecFailure,
  GetOptions,
  HeaderLines,
  InClusterOptions,
  KindQuery,
  KubeconfigAccessOptions,
  ListOptions,
  LoadedKubeconfig,
  LoadKubeconfigOptions,
  LogOptions,
  ObjectToWrite,
  OnServerWarning,
  OnWarning,
  OutgoingPost,
  Patch,
  PostAnswer,
  RawCall,
  RawWatchEvent,
  Reader,
  RunCommand,
  Selection,
  SubresourceClient,
  Terminal,
  TlsSettings,
  Upsert,
  UpsertOutcome,
  Verb,
  WaitOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
  Writer,
} from "@keelson/client";
export {
  AlreadyExistsError,
  ApiError,
  accessFromKubeconfig,
  addFinalizer,
  apiErrorFrom,
  BadRequestError,
  ClientError,
  ConfigError,
  ConflictError,
  ConnectionError,
  connect,
  createClient,
  createOrPatch,
  createOrUpdate,
  defaultAccess,
  describeCall,
  discoverAll,
  dryRun,
  ExecCredentialError,
  ForbiddenError,
  find,
  GoneError,
  httpTransport,
  InClusterError,
  InvalidCallError,
  InvalidError,
  inClusterAccess,
  inNamespace,
  jsonPatch,
  KubeconfigError,
  KubeconfigNotFoundError,
  listenHttp,
  loadKubeconfig,
  MalformedResponseError,
  mapCalls,
  mergePatch,
  mergePatchBetween,
  NoClusterConfiguredError,
  NoKindMatchError,
  NotFoundError,
  NotInClusterError,
  parseWatchEvent,
  RequestTimeoutError,
  RestMapper,
  recordUse,
  removeFinalizer,
  retryingTransport,
  ServerTimeoutError,
  sendPost,
  splitLines,
  strategicMergePatch,
  TooLargeError,
  TooManyRequestsError,
  TransportClosedError,
  UnauthorizedError,
  UnsendableCredentialError,
  WaitTimeoutError,
  waitFor,
  waitUntilGone,
  withFieldOwner,
  withFieldValidation,
} from "@keelson/client";
export type {
  ApiUse,
  ApplyConfiguration,
  CancelTimer,
  Clock,
  ClusterMeta,
  Condition,
  ConditionUpdate,
  CronSchedule,
  Draft,
  FieldRequirement,
  FieldSelector,
  GenericObject,
  GroupVersionKind,
  HttpService,
  Immutable,
  JsonPatchOperation,
  Keyed,
  Kind,
  Kubeconfig,
  KubeconfigAuthProvider,
  KubeconfigCluster,
  KubeconfigContext,
  KubeconfigExec,
  KubeconfigExtension,
  KubeconfigUser,
  KubeList,
  KubeObject,
  LabelComparison,
  LabelQuery,
  LabelQueryRequirement,
  LabelSelector,
  LabelSelectorRequirement,
  Listen,
  Listener,
  ListenOptions,
  ListMeta,
  ManagedFieldsEntry,
  NamespacedMeta,
  NonResourceUse,
  ObjectKey,
  ObjectMeta,
  ObjectOf,
  ObjectOfKind,
  OwnerReference,
  OwnerReferenceOptions,
  PartialObjectMetadata,
  Quantity,
  QuantityFormat,
  Random,
  Resource,
  ResourceUse,
  Scope,
  ServiceRequest,
  ServiceResponse,
  ServingCertificate,
  Status,
  StatusCause,
  StatusDetails,
  Stored,
  Transport,
  TransportRequest,
  TransportResponse,
  UnstoredMeta,
  WrittenAs,
} from "@keelson/core";
export {
  AlreadyOwnedError,
  abortable,
  addFinalizerPatch,
  addQuantities,
  apiVersionOf,
  BeingDeletedError,
  CrossNamespaceOwnerError,
  compareQuantities,
  compareResourceVersions,
  controllerOf,
  cutText,
  DropConnectionError,
  deepEqual,
  dnsLabelProblem,
  dnsSubdomainProblem,
  draft,
  errorCode,
  fieldsOf,
  findCondition,
  formatDurationMs,
  formatFieldSelector,
  formatKey,
  formatLabelSelector,
  formatQuantity,
  formatTime,
  formatTimeIn,
  freeze,
  genericResource,
  groupResourceOf,
  hasFinalizer,
  hasOwner,
  InvalidFieldSelectorError,
  InvalidFinalizerError,
  InvalidLabelSelectorError,
  InvalidQuantityError,
  InvalidResourceVersionError,
  isConditionTrue,
  isControlledBy,
  isCoveredBy,
  isKnownTimeZone,
  isLabelSelector,
  isNewer,
  isRecord,
  isResourceVersion,
  isStatus,
  KeelsonError,
  keyOf,
  kindOf,
  labelsToSelector,
  labelValueProblem,
  matchesFields,
  matchesLabels,
  mergeConditions,
  metadataOnly,
  NamespacedOwnerError,
  NotStoredError,
  nextCronTime,
  ownerReferenceTo,
  parseApiVersion,
  parseCronSchedule,
  parseDuration,
  parseDurationMs,
  parseFieldSelector,
  parseLabelSelector,
  parseQuantity,
  podTemplatesEqual,
  pointer,
  qualifiedNameProblem,
  quantityAsStored,
  removeCondition,
  removeFinalizerPatch,
  removeOwnerReference,
  roundUpQuantity,
  seededRandom,
  setCondition,
  setControllerReference,
  setOwnerReference,
  sleep,
  subtractQuantities,
  systemClock,
  systemRandom,
  toError,
  usesOf,
  validateLabelSelector,
  withFinalizer,
  withoutFinalizer,
} from "@keelson/core";
export type {
  AnyDefinedResource,
  ClusterCustomObject,
  CustomObject,
  DefinedResource,
  EnvSource,
  EnvVariable,
  EnvVariables,
  ImagePullSecret,
  Incompatibility,
  InputOf,
  ListMap,
  ListType,
  MapSize,
  MapType,
  PartSchema,
  PrinterColumn,
  RbacRulesOptions,
  ResourceDefinition,
  ResourceRequirements,
  SchemaProblem,
  StructuralSchema,
} from "@keelson/schema";
export {
  allows,
  atomic,
  compareCrds,
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
  makeClusterRole,
  makeRole,
  quantity,
  rbacRules,
  resourceRequirements,
  rule,
  SchemaError,
  sized,
  textResources,
  z,
} from "@keelson/schema";
export type { AcquireOptions, Cache, InformerLease } from "./cache/cache.ts";
export type {
  CacheDefaults,
  CachedKind,
  CacheSettings,
  KindSettings,
  NamespaceSettings,
} from "./cache/cache-settings.ts";
export { allNamespaces, cacheKind } from "./cache/cache-settings.ts";
export { cachedClient } from "./cache/cached-client.ts";
export {
  CacheNotStartedError,
  CacheReusedError,
  CacheStoppedError,
  FieldNotIndexedError,
  IndexConflictError,
  IndexFunctionError,
  InformerReleasedError,
  InformerStoppedError,
  InvalidCacheSettingsError,
  NamespaceNotCachedError,
  ResourceNotCachedError,
  SubscriptionRemovedError,
  TransformError,
} from "./cache/errors.ts";
export type {
  IndexFunction,
  Informer,
  InformerCreate,
  InformerDelete,
  InformerEvent,
  InformerHandler,
  InformerStatus,
  InformerUpdate,
  StoreQuery,
  SubscribeOptions,
  Subscription,
} from "./cache/informer/informer.ts";
export type { InformerCacheOptions, StaleRead } from "./cache/informer-cache.ts";
export { InformerCache } from "./cache/informer-cache.ts";
export type { WatchSettings } from "./controller/build-plan.ts";
export type { KindControllerSettings, OwnsSettings } from "./controller/builder.ts";
export { controller, KindControllerBuilder } from "./controller/builder.ts";
export type { CausalLogLimits, CausalLogOptions } from "./controller/causal/causal-log.ts";
export { CausalLog } from "./controller/causal/causal-log.ts";
export type { CallRecord } from "./controller/causal/recorded-calls.ts";
export type {
  ReasonRecord,
  RunEnd,
  RunRecord,
  RunRecorder,
  RunResult,
  RunStart,
} from "./controller/causal/recorded-run.ts";
export { Controller } from "./controller/controller.ts";
export type { ControllerDefinition, ControllerSettings } from "./controller/controller-definition.ts";
export type { ConcurrencyDefaults, ControllerEnvironment } from "./controller/controller-environment.ts";
export { ControllerNames } from "./controller/controller-names.ts";
export type { ControllerObserver, ResultLabel } from "./controller/controller-observer.ts";
export {
  ControllerError,
  ControllerReusedError,
  ControllerStoppedError,
  DuplicateControllerNameError,
  InvalidControllerError,
  InvalidResultError,
  NotAnErrorThrownError,
  ReconcilerBrokenError,
  ReconcileTimeoutError,
  SourceFailedError,
  SourceSyncTimeoutError,
} from "./controller/errors.ts";
export type { EventRecorder, EventToRecord } from "./controller/event-recorder.ts";
export { noEvents } from "./controller/event-recorder.ts";
export type { FieldManager } from "./controller/guard/field-owners.ts";
export type { HotLoopGuardOptions, HotLoopObserver } from "./controller/guard/hot-loop-guard.ts";
export { HotLoopGuard } from "./controller/guard/hot-loop-guard.ts";
export type { PingPongReport, SelfWokenReport } from "./controller/guard/hot-loop-reports.ts";
export type { GuardLimits } from "./controller/guard/loop-detection.ts";
export type { KeyDescription } from "./controller/key-builder.ts";
export { controllerFor, KeyControllerBuilder } from "./controller/key-builder.ts";
export { reconcileObject } from "./controller/object-reconciler.ts";
export type {
  ObjectContext,
  ObjectReconciler,
  ReconcileContext,
  ReconcileResult,
  Reconciler,
  Requeue,
} from "./controller/reconciler.ts";
export { TerminalError } from "./controller/reconciler.ts";
export type { ControllerTracer, RunTrace, RunTracer, TracedRun } from "./controller/run-tracer.ts";
export type { RunningWatch } from "./controller/source-watch.ts";
export type { WorkerConnectOptions } from "./leader/election-driver.ts";
export type { ElectionRules, ElectionSettings } from "./leader/election-rules.ts";
export { electionIdentity, electionRules } from "./leader/election-rules.ts";
export {
  ElectorMisuseError,
  InvalidElectionError,
  LeaderElectionError,
  LeadershipLostError,
  LeaseNotRenewedError,
  LeasePermissionError,
  NotLeaderError,
  RenewWorkerError,
} from "./leader/errors.ts";
export type {
  LeaderCallbacks,
  LeaderElectorOptions,
  LeaderObserver,
  RenewalOptions,
} from "./leader/leader-elector.ts";
export { LeaderElector } from "./leader/leader-elector.ts";
export type { Leadership, LeaseHealthOptions } from "./leader/lease-term.ts";
export { leaseHealthCheck } from "./leader/lease-term.ts";
export { guardTransport, guardWrites } from "./leader/write-guard.ts";
export type { LogFields, Logger } from "./logger.ts";
export { silentLogger } from "./logger.ts";
export type { LeaderElectionOptions } from "./manager/election.ts";
export {
  GraceExceededError,
  GroupStoppedError,
  InvalidManagerError,
  ManagerError,
  ManagerReusedError,
  ManagerStartedError,
  ManagerStoppedError,
  WebhooksNotServedError,
} from "./manager/errors.ts";
export { Manager } from "./manager/manager.ts";
export type { LifeState } from "./manager/manager-life.ts";
export type {
  BufferedEvents,
  HealthOptions,
  HttpEndpoint,
  ManagerMetricsOptions,
  ManagerOptions,
  ServerName,
} from "./manager/manager-options.ts";
export type { Operator, OperatorDefinition, OperatorSamples, SampleProgress } from "./manager/operator.ts";
export { defineOperator } from "./manager/operator.ts";
export type {
  CheckPermissionsOptions,
  MissingPermission,
  PermissionReport,
} from "./manager/permissions/check-permissions.ts";
export { checkPermissions } from "./manager/permissions/check-permissions.ts";
export { formatMissing, MissingPermissionsError } from "./manager/permissions/missing-permissions.ts";
export type { NeededUse } from "./manager/permissions/needed-uses.ts";
export { neededUses, usesOfSources } from "./manager/permissions/needed-uses.ts";
export type { Runnable } from "./manager/runnable.ts";
export type { SignalledProcess, Stoppable } from "./manager/signals.ts";
export { runUntilSignal } from "./manager/signals.ts";
export type { ManagedWebhooks, ManagerWebhookOptions, WebhookSet } from "./manager/webhooks.ts";
export type { AppliedObject, ApplyOwnedOptions } from "./object/apply-owned.ts";
export { appliedAnnotation, applyOwned, isOrphanOf } from "./object/apply-owned.ts";
export { ForeignObjectError, StaleObjectError } from "./object/errors.ts";
export type { InstallCrdsOptions } from "./object/install-crds.ts";
export { installCrds } from "./object/install-crds.ts";
export { isStillThere } from "./object/is-still-there.ts";
export { removeOwned } from "./object/remove-owned.ts";
export { writeStatus } from "./object/write-status.ts";
export { InvalidQueueNumberError } from "./queue/errors.ts";
export type { QueueObserver, UnfinishedWork } from "./queue/queue-observer.ts";
export { PriorityLabels } from "./queue/queue-observer.ts";
export type { BackoffPreset, ItemRateLimiter, RateLimiter } from "./queue/rate-limiter.ts";
export {
  backoffPresets,
  fastSlowLimiter,
  itemExponentialLimiter,
  maxOfLimiters,
  maxWaitLimiter,
  presetLimiter,
  tokenBucketLimiter,
} from "./queue/rate-limiter.ts";
export type { DequeuedItem, Trigger } from "./queue/work-item.ts";
export type { AddOptions, WorkQueueOptions } from "./queue/work-queue.ts";
export { WorkQueue } from "./queue/work-queue.ts";
export type { ChangedField } from "./source/changed-paths.ts";
export { changedFields, changedPaths } from "./source/changed-paths.ts";
export type { ChannelOptions } from "./source/channel.ts";
export { Channel } from "./source/channel.ts";
export type { ChannelSourceOptions, GenericPredicate } from "./source/channel-source.ts";
export { channelSource } from "./source/channel-source.ts";
export { ChannelClosedError } from "./source/errors.ts";
export type {
  EnqueueOwnerOptions,
  EventHandler,
  HandlerContext,
  Keys,
  MapObject,
} from "./source/handlers.ts";
export { enqueueMapped, enqueueOwner, enqueueSelf } from "./source/handlers.ts";
export type { InformerSourceOptions } from "./source/informer-source.ts";
export { informerSource } from "./source/informer-source.ts";
export type { IntervalSourceOptions } from "./source/interval-source.ts";
export { intervalSource } from "./source/interval-source.ts";
export type { KindSourceOptions } from "./source/kind-source.ts";
export { kindSource } from "./source/kind-source.ts";
export type { PollSourceOptions } from "./source/poll-source.ts";
export { pollSource } from "./source/poll-source.ts";
export type { Predicate } from "./source/predicate.ts";
export { allOf, anyOf, not, predicateOf } from "./source/predicate.ts";
export {
  annotationsChanged,
  deletionStarted,
  finalizersChanged,
  generationChanged,
  inNamespaces,
  labelsChanged,
  matchesSelector,
  named,
  resourceVersionChanged,
} from "./source/predicates.ts";
export type { Enqueue, EnqueueOptions, RunningSource, Source, SourceContext } from "./source/source.ts";
export { lowPriority } from "./source/source.ts";
export type { GenericEvent, SourceEvent } from "./source/source-event.ts";
export type { RunSource } from "./source/source-of.ts";
export { sourceOf } from "./source/source-of.ts";
export type { EventDropReason, EventObserver } from "./telemetry/events/drop-report.ts";
export type { ApiEventRecorder, EventRecorderOptions } from "./telemetry/events/recorder.ts";
export { createEventRecorder, InvalidEventRecorderError } from "./telemetry/events/recorder.ts";
export type {
  InformersToCheck,
  QueueAgeOptions,
  QueueAges,
  WatchFreshnessOptions,
} from "./telemetry/health/built-in-checks.ts";
export { cacheSynced, queueAge, watchFreshness } from "./telemetry/health/built-in-checks.ts";
export {
  CacheNotSyncedError,
  HealthCheckRefusedError,
  HealthCheckTimeoutError,
  HealthError,
  QueueStuckError,
  StaleInformersError,
} from "./telemetry/health/errors.ts";
export type { HealthCheck, HealthCheckOptions, NamedHealthCheck } from "./telemetry/health/health-checks.ts";
export { HealthChecks } from "./telemetry/health/health-checks.ts";
export type { HealthServiceOptions } from "./telemetry/health/health-service.ts";
export { healthService } from "./telemetry/health/health-service.ts";
export type { JsonLoggerOptions } from "./telemetry/log/json-logger.ts";
export { jsonLogger } from "./telemetry/log/json-logger.ts";
export type { LogLevel } from "./telemetry/log/log-level.ts";
export { InvalidLogLevelError, levelFrom } from "./telemetry/log/log-level.ts";
export type { Loggable } from "./telemetry/log/loggable.ts";
export { toLoggable, toLoggableText } from "./telemetry/log/loggable.ts";
export type { PrettyLoggerOptions } from "./telemetry/log/pretty-logger.ts";
export { prettyLogger } from "./telemetry/log/pretty-logger.ts";
export { Sensitive, sensitive } from "./telemetry/log/sensitive.ts";
export type { AuthorizeByReviewOptions } from "./telemetry/metrics/authorize-by-review.ts";
export { authorizeByReview } from "./telemetry/metrics/authorize-by-review.ts";
export {
  CounterDecreaseError,
  DuplicateMetricError,
  InvalidMetricError,
} from "./telemetry/metrics/errors.ts";
export type { LabelValues, MetricOptions, MetricType, Sample } from "./telemetry/metrics/family.ts";
export type { Metrics, MetricsOptions } from "./telemetry/metrics/metrics.ts";
export { createMetrics } from "./telemetry/metrics/metrics.ts";
export type { HistogramOptions, MetricsRegistryOptions } from "./telemetry/metrics/metrics-registry.ts";
export { MetricsRegistry } from "./telemetry/metrics/metrics-registry.ts";
export type { Authorize, MetricsServiceOptions, Permission } from "./telemetry/metrics/metrics-service.ts";
export { metricsPath, metricsService } from "./telemetry/metrics/metrics-service.ts";
export type { RestClientObserver } from "./telemetry/metrics/rest-client-metrics.ts";
export type { Counter, Gauge, Histogram } from "./telemetry/metrics/series.ts";
export type { TracingOptions } from "./telemetry/tracing/tracing.ts";
export { createTracing } from "./telemetry/tracing/tracing.ts";
export {
  IncompleteSyncError,
  ReflectorError,
  ReflectorReusedError,
  SilentWatchError,
  VeryShortWatchError,
} from "./watch/errors.ts";
export { Reflector } from "./watch/reflector.ts";
export type { Freshness, ReflectorOptions, WatchSink } from "./watch/reflector-options.ts";
export type { ObjectEvent, Snapshot } from "./watch/snapshot.ts";
export type {
  Admission,
  AdmissionCall,
  AdmissionSettings,
  Mutation,
  Mutator,
  MutatorOptions,
  Validation,
  Validator,
  ValidatorOptions,
} from "./webhook/admission.ts";
export { admission } from "./webhook/admission.ts";
export type { AdmissionRequest, Operation } from "./webhook/admission-review.ts";
export type { CertificateObserver, CertificateSource } from "./webhook/certificate-source.ts";
export type { Conversion, Converted, Spoke } from "./webhook/conversion.ts";
export { conversion } from "./webhook/conversion.ts";
export type { DenialDetails, DenialReason } from "./webhook/errors.ts";
export {
  AdmissionDeniedError,
  ConversionError,
  DuplicateWebhookPathError,
  InvalidCertificateError,
  InvalidWebhookError,
  NoCertificateError,
  WebhookError,
  WebhookTimeoutError,
} from "./webhook/errors.ts";
export type { FileCertificatesOptions } from "./webhook/file-certificates.ts";
export { FileCertificates } from "./webhook/file-certificates.ts";
export type { ManagedCertificatesOptions } from "./webhook/managed-certificates.ts";
export { ManagedCertificates } from "./webhook/managed-certificates.ts";
export type { RotationRules } from "./webhook/rotation-plan.ts";
export type { WebhookCall } from "./webhook/webhook-call.ts";
export type {
  ConfigurationContext,
  ConfigurationPass,
  KeepConfigurationsOptions,
  WebhookEndpoint,
} from "./webhook/webhook-configurations.ts";
export {
  keepConfigurations,
  makeConversion,
  makeMutatingConfiguration,
  makeValidatingConfiguration,
} from "./webhook/webhook-configurations.ts";
export type {
  ServeWebhooksOptions,
  WebhookObserver,
  WebhookServerOptions,
} from "./webhook/webhook-server.ts";
export { defaultWebhookPort, serveWebhooks, WebhookServer } from "./webhook/webhook-server.ts";
