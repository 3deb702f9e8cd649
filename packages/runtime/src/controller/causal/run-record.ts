import type { Trigger } from "../../source/trigger.ts";

/** How a run ended. The first four are the values of the metric, where the next two count as `error` and the last not at all. */
export type RunResult =
  | "success"
  | "requeue_after"
  | "requeue"
  | "error"
  | "terminal_error"
  | "timeout"
  | "aborted";

/**
 * One run of a reconciler: why, what it read and wrote, how it ended. Plain data. It names fields and never holds what
 * is in them (law 9); only `error` is text from elsewhere.
 */
export interface RunRecord {
  readonly reconcileId: string;
  /** RFC 3339, in UTC, with milliseconds. */
  readonly startedAt: string;
  readonly queuedMs: number;
  readonly durationMs: number;
  readonly priority: number;
  readonly reasons: readonly ReasonRecord[];
  /** How many more reasons there were. */
  readonly droppedReasons: number;
  /** In the order in which they began. */
  readonly calls: readonly CallRecord[];
  /** How many more calls there were. Reads are left out before writes. */
  readonly droppedCalls: number;
  readonly result: RunResult;
  readonly error?: string;
  readonly requeueAfterMs?: number;
}

/** As Trigger, with the names of the changed fields worked out. */
export interface ReasonRecord extends Pick<Trigger, "source" | "type" | "object" | "isInitial"> {
  /** Absent also for an update if there were several reasons before it. */
  readonly changedPaths?: readonly string[];
}

export interface CallRecord {
  /** Such as `update deployments.apps/status shop/web`. */
  readonly call: string;
  readonly kind: "read" | "write";
  readonly fromCache: boolean;
  /** Absent while there is no answer. */
  readonly ms?: number;
  /**
   * `ok`; `noop`, a write that left the object at the version that it had; `pending`, no answer yet; or the code of the
   * error.
   */
  readonly outcome: string;
  /** Of the object in the answer. */
  readonly resourceVersion?: string;
  /** What the write changed, if the run had seen the object before. */
  readonly changedPaths?: readonly string[];
}
