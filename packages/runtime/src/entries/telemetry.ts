// Metrics, health checks, tracing, Events and loggers.
export type { LogFields } from "../logger.ts";
export { silentLogger } from "../logger.ts";
export type { EventDropReason, EventObserver } from "../telemetry/events/drop-report.ts";
export type { ApiEventRecorder, EventRecorderOptions } from "../telemetry/events/recorder.ts";
export { createEventRecorder, InvalidEventRecorderError } from "../telemetry/events/recorder.ts";
export type {
  InformersToCheck,
  QueueAgeOptions,
  QueueAges,
  WatchFreshnessOptions,
} from "../telemetry/health/built-in-checks.ts";
export { cacheSynced, queueAge, watchFreshness } from "../telemetry/health/built-in-checks.ts";
export {
  CacheNotSyncedError,
  HealthCheckRefusedError,
  HealthCheckTimeoutError,
  HealthError,
  QueueStuckError,
  StaleInformersError,
} from "../telemetry/health/errors.ts";
export type { HealthCheck, HealthCheckOptions, NamedHealthCheck } from "../telemetry/health/health-checks.ts";
export { HealthChecks } from "../telemetry/health/health-checks.ts";
export type { HealthServiceOptions } from "../telemetry/health/health-service.ts";
export { healthService } from "../telemetry/health/health-service.ts";
export type { JsonLoggerOptions } from "../telemetry/log/json-logger.ts";
export type { LogLevel } from "../telemetry/log/log-level.ts";
export { InvalidLogLevelError, levelFrom } from "../telemetry/log/log-level.ts";
export type { Loggable } from "../telemetry/log/loggable.ts";
export { toLoggable, toLoggableText } from "../telemetry/log/loggable.ts";
export type { PrettyLoggerOptions } from "../telemetry/log/pretty-logger.ts";
export { prettyLogger } from "../telemetry/log/pretty-logger.ts";
export { Sensitive, sensitive } from "../telemetry/log/sensitive.ts";
export type { AuthorizeByReviewOptions } from "../telemetry/metrics/authorize-by-review.ts";
export { authorizeByReview } from "../telemetry/metrics/authorize-by-review.ts";
export {
  CounterDecreaseError,
  DuplicateMetricError,
  InvalidMetricError,
} from "../telemetry/metrics/errors.ts";
export type { LabelValues, MetricOptions, MetricType, Sample } from "../telemetry/metrics/family.ts";
export type { Metrics, MetricsOptions } from "../telemetry/metrics/metrics.ts";
export { createMetrics } from "../telemetry/metrics/metrics.ts";
export type { HistogramOptions, MetricsRegistryOptions } from "../telemetry/metrics/metrics-registry.ts";
export { MetricsRegistry } from "../telemetry/metrics/metrics-registry.ts";
export type { Authorize, MetricsServiceOptions, Permission } from "../telemetry/metrics/metrics-service.ts";
export { metricsPath, metricsService } from "../telemetry/metrics/metrics-service.ts";
export type { RestClientObserver } from "../telemetry/metrics/rest-client-metrics.ts";
export type { Counter, Gauge, Histogram } from "../telemetry/metrics/series.ts";
export type { TracingOptions } from "../telemetry/tracing/tracing.ts";
export { createTracing } from "../telemetry/tracing/tracing.ts";
