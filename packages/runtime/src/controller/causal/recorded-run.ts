import type { ApiCall, Caller } from "@keelson/client";
import type { Clock, KubeObject, ObjectKey, Resource } from "@keelson/core";
import type { Trigger } from "../../queue/work-item.ts";
import { normalizeError } from "../../source/normalize-error.ts";
import { type CallRecord, RecordedCalls } from "./recorded-calls.ts";

/**
 * How a run ended. The first four are values of the `result` label of the reconcile metric; `terminal_error` and
 * `timeout` count there as `error`, and `aborted` does not count.
 */
export type RunResult =
  | "success"
  | "requeue_after"
  | "requeue"
  | "error"
  | "terminal_error"
  | "timeout"
  | "aborted";

/**
 * The record of one run: its triggers, what it read and wrote, how it ended. Plain data. It names fields and never holds
 * their values (law 9); only `error` is text from outside.
 */
export interface RunRecord {
  readonly reconcileId: string;
  /** RFC 3339, in UTC, with milliseconds. */
  readonly startedAt: string;
  readonly queuedMs: number;
  readonly durationMs: number;
  readonly priority: number;
  readonly reasons: readonly ReasonRecord[];
  /** How many further reasons the run had. */
  readonly droppedReasons: number;
  /** In the order in which they began. */
  readonly calls: readonly CallRecord[];
  /** How many further calls the run made. Reads are dropped before writes. */
  readonly droppedCalls: number;
  readonly result: RunResult;
  readonly error?: string;
  readonly requeueAfterMs?: number;
}

/** The record of a trigger, with the names of the changed fields. */
export interface ReasonRecord extends Pick<Trigger, "source" | "type" | "object" | "isInitial"> {
  /** Absent also for an update that comes after several other reasons. */
  readonly changedPaths?: readonly string[];
}

/** What is known of a run when it begins. */
export interface RunStart {
  /**
   * If a function: called once at most, when the record is read, so that an unread id is never generated. The log keeps
   * the function for as long as the record, so it should hold on to little.
   */
  readonly reconcileId: string | (() => string);
  readonly reasons: readonly Trigger[];
  /** How many further reasons there were. Default 0. */
  readonly droppedReasons?: number;
  readonly queuedMs: number;
  readonly priority: number;
}

/** How a run ended. */
export interface RunEnd {
  readonly result: RunResult;
  readonly error?: Error;
  readonly requeueAfterMs?: number;
}

/** Records what one run does. */
export interface RunRecorder {
  /** A layer for `client.with`. */
  layer(next: Caller): Caller;
  /** Records that the run read its object from the cache without a call. Once at most, and before any call. */
  sawCached(resource: Resource, key: ObjectKey, object: KubeObject): void;
  /** Ends the recording and adds the run to the log. Only once. */
  end(result: RunEnd): void;
}

/** What a recorded run needs of its causal log. */
export interface RunOwner {
  readonly clock: Clock;
  readonly callsPerRun: number;
  /** Adds a run that has ended. */
  keep(run: RecordedRun): void;
  /** Resource versions of the call's object that earlier runs of the key saw. */
  earlierVersions(keyText: string, call: ApiCall): readonly string[];
}

const maxErrorLength = 500;
const noReasons: readonly never[] = [];

/**
 * A run in the compact form that the log keeps; its record is built when it is read. While the run lasts it holds on to
 * the responses of its calls; afterwards it holds names and numbers only.
 */
export class RecordedRun implements RunRecorder {
  readonly keyText: string;
  /** The run of the same key before this one, while the log keeps it. */
  previous: RecordedRun | undefined;
  readonly #owner: RunOwner;
  readonly #startedAt: number;
  readonly #startedAtMonotonic: number;
  readonly #queuedMs: number;
  readonly #priority: number;
  readonly #droppedReasons: number;
  #reconcileId: string | (() => string);
  /** Dropped when the run ends, since they may hold on to objects. */
  #triggers: readonly Trigger[];
  #reasons: readonly ReasonRecord[] = [];
  /** The object that was read without a call, as in most runs; becomes a recorded call when the calls are read. */
  #sawResource: Resource | undefined;
  #sawKey: ObjectKey | undefined;
  #sawVersion: string | undefined;
  /** Dropped when the run ends. */
  #sawObject: KubeObject | undefined;
  /** Created with the first call. */
  #calls: RecordedCalls | undefined;
  #durationMs = 0;
  #result: RunResult = "success";
  #error: string | undefined;
  #requeueAfterMs: number | undefined;

  constructor(owner: RunOwner, keyText: string, start: RunStart) {
    this.keyText = keyText;
    this.#owner = owner;
    this.#startedAt = owner.clock.now();
    this.#startedAtMonotonic = owner.clock.monotonicNow();
    this.#queuedMs = start.queuedMs;
    this.#priority = start.priority;
    this.#droppedReasons = start.droppedReasons ?? 0;
    this.#reconcileId = start.reconcileId;
    this.#triggers = start.reasons;
  }

  layer(next: Caller): Caller {
    this.#calls ??= this.#newCalls();
    return this.#calls.layer(next);
  }

  sawCached(resource: Resource, key: ObjectKey, object: KubeObject): void {
    this.#sawResource = resource;
    this.#sawKey = key;
    this.#sawVersion = object.metadata.resourceVersion;
    this.#sawObject = object;
  }

  end({ result, error, requeueAfterMs }: RunEnd): void {
    this.#durationMs = this.#owner.clock.monotonicNow() - this.#startedAtMonotonic;
    this.#result = result;
    this.#requeueAfterMs = requeueAfterMs;
    if (error !== undefined) this.#error = shortened(normalizeError(error).message);
    this.#reasons = this.#triggers.length === 0 ? noReasons : this.#triggers.map(toReasonRecord);
    this.#triggers = noReasons;
    this.#calls?.endRun();
    this.#sawObject = undefined;
    this.#owner.keep(this);
  }

  /** Resource versions that the call's object is known to have had. */
  versionsOf(call: ApiCall): readonly string[] {
    return this.#knownCalls?.versionsOf(call) ?? [];
  }

  toRecord(): RunRecord {
    return {
      reconcileId: this.#resolveId(),
      startedAt: new Date(this.#startedAt).toISOString(),
      queuedMs: this.#queuedMs,
      durationMs: this.#durationMs,
      priority: this.#priority,
      reasons: this.#reasons,
      droppedReasons: this.#droppedReasons,
      calls: this.#knownCalls?.toRecords() ?? [],
      droppedCalls: this.#calls?.dropped ?? 0,
      result: this.#result,
      ...(this.#error !== undefined && { error: this.#error }),
      ...(this.#requeueAfterMs !== undefined && { requeueAfterMs: this.#requeueAfterMs }),
    };
  }

  /** The calls, including the read without a call. */
  get #knownCalls(): RecordedCalls | undefined {
    if (this.#sawResource !== undefined) this.#calls ??= this.#newCalls();
    return this.#calls;
  }

  #newCalls(): RecordedCalls {
    const { clock, callsPerRun, earlierVersions } = this.#owner;
    const calls = new RecordedCalls(clock, callsPerRun, (call) => earlierVersions(this.keyText, call));
    if (this.#sawResource !== undefined && this.#sawKey !== undefined)
      calls.addCachedRead(this.#sawResource, this.#sawKey, {
        version: this.#sawVersion,
        object: this.#sawObject,
      });
    return calls;
  }

  #resolveId(): string {
    if (typeof this.#reconcileId !== "string") this.#reconcileId = this.#reconcileId();
    return this.#reconcileId;
  }
}

function shortened(message: string): string {
  return message.length <= maxErrorLength ? message : `${message.slice(0, maxErrorLength)}…`;
}

/** For how many reasons of a run the changed fields are computed, which costs more than the rest of most runs. */
const reasonsWithPaths = 3;

/**
 * The record of a trigger. It holds on to no object: the new state may be megabytes, and the old state would otherwise
 * be garbage. It has the resource version only of an object that is already parsed, since parsing for the version alone
 * would be too expensive.
 */
function toReasonRecord(trigger: Trigger, index: number): ReasonRecord {
  const { source, type, object, isInitial } = trigger;
  const paths = index < reasonsWithPaths ? changedPathsOf(trigger) : undefined;
  const isParsed = type === "generic" || (paths !== undefined && paths.length > 0);
  return {
    source,
    type,
    ...(object !== undefined && { object: isParsed ? { ...object } : withoutVersion(object) }),
    ...(isInitial !== undefined && { isInitial }),
    ...(paths !== undefined && { changedPaths: paths }),
  };
}

/** A source may be a user's own; an error in its `changedPaths` must not fail the run. */
function changedPathsOf({ changedPaths }: Trigger): readonly string[] | undefined {
  try {
    return changedPaths?.();
  } catch {
    return undefined;
  }
}

type TriggerObject = NonNullable<Trigger["object"]>;

function withoutVersion({ kind, namespace, name }: TriggerObject): TriggerObject {
  return namespace === undefined ? { kind, name } : { kind, namespace, name };
}
