import type { ApiUse, Clock, ObjectKey, Resource } from "@keelson/core";
import type { QueueObserver } from "../queue/queue-observer.ts";
import { type BackoffPreset, presetLimiter, type RateLimiter } from "../queue/rate-limiter.ts";
import type { WorkQueueOptions } from "../queue/work-queue.ts";
import type { Source } from "../source/source.ts";
import type { ReconcileResult, ReconcileRun } from "./reconciler.ts";

export interface ControllerOptions {
  /** How many keys are reconciled at once. Default: the manager's default for the kind, or 1 [CT8]. */
  readonly concurrency?: number;
  /** The field owner of what its reconciles apply. Default: the name of the controller. */
  readonly fieldOwner?: string;
  /** The back-off of failures. Default `controllerRuntime`: 5 ms, doubled up to 1000 s. */
  readonly backoff?: BackoffPreset | (() => RateLimiter);
  /** A key that failed waits for its back-off even if events enqueue it. Default false, as in Go. */
  readonly holdBackoff?: boolean;
  /** Namespaces take turns, so that a busy one does not hold up the others. Default false. */
  readonly fairNamespaces?: boolean;
  /** After this time the signal of a reconcile aborts [CT10]. Default: never. */
  readonly timeoutMs?: number;
  /** How long the sources may take until they have synced [CT11]. Default 2 min. */
  readonly cacheSyncTimeoutMs?: number;
  /** A mistake in the reconciler, such as a TypeError, is an error like any other [CT9]; false ends the process. Default true. */
  readonly recoverFromThrows?: boolean;
  /** The sources start before this replica leads [CT17]. Default false. */
  readonly warmUp?: boolean;
  /** Only the leader reconciles. Default true. */
  readonly needsLeadership?: boolean;
  /** Another controller may have the same name [CT15]. Default false. */
  readonly allowSharedName?: boolean;
  /** Slows down keys in a hot loop [CT20]. Default true. */
  readonly guardHotLoops?: boolean;
}

/** A controller as a value: its sources and its reconciler. `Controller` runs it. */
export interface ControllerDefinition<Key = ObjectKey, Settings = unknown> {
  /** In logs and metrics; lower case, such as `webapp`. */
  readonly name: string;
  /** The kind that it reconciles; undefined if its keys are not those of one kind. */
  readonly kind?: Resource;
  /** Identifies a key, and names it in logs. */
  readonly formatKey: (key: Key) => string;
  /** The namespaces that take turns under `fairNamespaces`. */
  readonly namespaceOf?: (key: Key) => string;
  readonly sources: readonly Source<Key>[];
  /** What its reconciles use of the API beyond what its sources list and watch. Default: nothing. */
  readonly uses?: readonly ApiUse[];
  readonly reconcile: (run: ReconcileRun<Key, Settings>) => Promise<ReconcileResult> | ReconcileResult;
  readonly options: ControllerOptions;
}

/** How many keys a controller reconciles at once if its options do not define it [CT8]. */
export interface ConcurrencyDefaults {
  /** Default 1. */
  readonly default?: number;
  /** By kind and group, such as `WebApp.example.com`, or `Pod` for the core group. */
  readonly byKind?: Readonly<Record<string, number>>;
}

/** The problems of options, each naming the option; empty if there are none. */
export function optionProblems(options: ControllerOptions): readonly string[] {
  const { concurrency, timeoutMs, cacheSyncTimeoutMs } = options;
  return [
    ...(concurrency === undefined ? [] : concurrencyProblems("concurrency", concurrency)),
    ...durationProblems("timeoutMs", timeoutMs),
    ...durationProblems("cacheSyncTimeoutMs", cacheSyncTimeoutMs),
  ];
}

function concurrencyProblems(option: string, value: number): readonly string[] {
  return Number.isSafeInteger(value) && value > 0
    ? []
    : [`${option} is ${value}; set it to a whole number of at least 1`];
}

function durationProblems(option: string, value: number | undefined): readonly string[] {
  return value === undefined || (Number.isFinite(value) && value > 0)
    ? []
    : [`${option} is ${value}; set it to a number of milliseconds above 0, or leave it out`];
}

/** How many keys are reconciled at once: the controller's option, the default of its kind, the general default, or 1 [CT8]. */
export function concurrencyOf(
  options: ControllerOptions,
  kind: Resource | undefined,
  defaults: ConcurrencyDefaults = {},
): number {
  const ofKind = kind === undefined ? undefined : defaults.byKind?.[groupKindOf(kind)];
  return options.concurrency ?? ofKind ?? defaults.default ?? 1;
}

/** Such as `WebApp.example.com`, or `Pod` for the core group: the keys of `ConcurrencyDefaults.byKind`. */
export function groupKindOf({ group, kind }: Resource): string {
  return group === "" ? kind : `${kind}.${group}`;
}

/** The problems of the defaults that apply to a controller of the kind. */
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

/** The options of the work queue of a controller. */
export function queueOptionsOf<Key>(
  {
    formatKey,
    namespaceOf,
    options,
  }: Pick<ControllerDefinition<Key>, "formatKey" | "namespaceOf" | "options">,
  clock: Clock,
  observer?: QueueObserver,
): WorkQueueOptions<Key> & { readonly rateLimiter: RateLimiter } {
  const { backoff = "controllerRuntime", holdBackoff = false, fairNamespaces = false } = options;
  return {
    clock,
    formatKey,
    rateLimiter: typeof backoff === "string" ? presetLimiter(backoff) : backoff(),
    holdBackoff,
    ...(observer !== undefined && { observer }),
    ...(fairNamespaces && namespaceOf !== undefined && { groupOf: namespaceOf }),
  };
}
