import type { Clock, Resource } from "@keelson/core";
import type { QueueObserver } from "../queue/queue-observer.ts";
import { presetLimiter } from "../queue/rate-limiter.ts";
import type { WorkQueueOptions } from "../queue/work-queue.ts";
import type { ControllerDefinition, ControllerSettings } from "./controller-definition.ts";
import type { ConcurrencyDefaults } from "./controller-environment.ts";

/** What is wrong with settings, each naming the setting; nothing if they will do. */
export function settingProblems(settings: ControllerSettings): readonly string[] {
  const { concurrency, timeoutMs, cacheSyncTimeoutMs } = settings;
  return [
    ...(concurrency === undefined ? [] : concurrencyProblems("concurrency", concurrency)),
    ...durationProblems("timeoutMs", timeoutMs),
    ...durationProblems("cacheSyncTimeoutMs", cacheSyncTimeoutMs),
  ];
}

function concurrencyProblems(setting: string, value: number): readonly string[] {
  return Number.isSafeInteger(value) && value > 0
    ? []
    : [`${setting} is ${value}; set it to a whole number of at least 1`];
}

function durationProblems(setting: string, value: number | undefined): readonly string[] {
  return value === undefined || (Number.isFinite(value) && value > 0)
    ? []
    : [`${setting} is ${value}; set it to a number of milliseconds above 0, or leave it out`];
}

/** How many keys are reconciled at once: the controller's word, that for its kind, that for all, or 1 [CT8]. */
export function concurrencyOf(
  settings: ControllerSettings,
  kind: Resource | undefined,
  defaults: ConcurrencyDefaults = {},
): number {
  const ofKind = kind === undefined ? undefined : defaults.byKind?.[groupKindOf(kind)];
  return settings.concurrency ?? ofKind ?? defaults.default ?? 1;
}

/** Such as `WebApp.example.com`, or `Pod` for the core group: as `ConcurrencyDefaults` names kinds. */
export function groupKindOf({ group, kind }: Resource): string {
  return group === "" ? kind : `${kind}.${group}`;
}

/** What is wrong with the defaults that a controller would use. */
export function concurrencyDefaultProblems(
  kind: Resource | undefined,
  { default: all, byKind }: ConcurrencyDefaults = {},
): readonly string[] {
  const name = kind === undefined ? undefined : groupKindOf(kind);
  const ofKind = name === undefined ? undefined : byKind?.[name];
  return [
    ...(ofKind === undefined ? [] : concurrencyProblems(`concurrency.byKind["${name}"]`, ofKind)),
    ...(all === undefined ? [] : concurrencyProblems("concurrency.default", all)),
  ];
}

/** The options of a controller's work queue. */
export function queueOptionsOf<Key>(
  { formatKey, namespaceOf, settings }: ControllerDefinition<Key>,
  clock: Clock,
  observer?: QueueObserver,
): WorkQueueOptions<Key> {
  const { backoff = "controllerRuntime", holdBackoff = false, fairNamespaces = false } = settings;
  return {
    clock,
    formatKey,
    rateLimiter: typeof backoff === "string" ? presetLimiter(backoff) : backoff(),
    holdBackoff,
    ...(observer !== undefined && { observer }),
    ...(fairNamespaces && namespaceOf !== undefined && { groupOf: namespaceOf }),
  };
}
