import type { ObjectKey, Resource } from "@keelson/core";
import type { BackoffPreset, RateLimiter } from "../queue/rate-limiter.ts";
import type { Source } from "../source/source.ts";
import type { Reconciler } from "./reconciler.ts";

export interface ControllerSettings {
  /** How many keys are reconciled at once. Default: what the environment says of the kind, or 1 [CT8]. */
  readonly concurrency?: number;
  /** How failures back off. Default `controllerRuntime`: 5 ms, doubled up to 1000 s. */
  readonly backoff?: BackoffPreset | (() => RateLimiter);
  /** Back-off holds against events: a key that failed waits however often it is queued. Default false, as in Go. */
  readonly holdBackoff?: boolean;
  /** Namespaces take turns, so that a busy one does not hold up the others. Default false. */
  readonly fairNamespaces?: boolean;
  /** After so long the signal of a reconcile aborts [CT10]. Default: never. */
  readonly timeoutMs?: number;
  /** How long the sources may take until they have synced [CT11]. Default 2 min. */
  readonly cacheSyncTimeoutMs?: number;
  /** What a reconciler throws by mistake is an error like any other [CT9]; false lets it end the process. Default true. */
  readonly recoverFromThrows?: boolean;
  /** The sources start before this replica leads [CT17]. Default false. */
  readonly warmUp?: boolean;
  /** Only the leading replica reconciles. Default true. */
  readonly needsLeadership?: boolean;
  /** Another controller may have the same name [CT15]. Default false. */
  readonly allowSharedName?: boolean;
  /** Slows down keys in a hot loop [CT20]. Default true. */
  readonly guardHotLoops?: boolean;
}

/** A controller as a value: what it listens to and what it does. `Controller` runs it. */
export interface ControllerDefinition<Key = ObjectKey> {
  /** In logs and metrics; lower case, such as `webapp`. */
  readonly name: string;
  /** The kind that it reconciles, if it is of one. */
  readonly kind?: Resource;
  /** Tells keys apart, and names them for people. */
  readonly formatKey: (key: Key) => string;
  /** What takes turns under `fairNamespaces`. */
  readonly namespaceOf?: (key: Key) => string;
  readonly sources: readonly Source<Key>[];
  readonly reconcile: Reconciler<Key>;
  readonly settings: ControllerSettings;
}
