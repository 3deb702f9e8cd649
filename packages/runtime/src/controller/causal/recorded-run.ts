import type { ApiCall, Caller } from "@keelson/client";
import type { Clock, KubeObject, ObjectKey, Resource } from "@keelson/core";
import { soundError } from "../../source/thrown.ts";
import type { Trigger } from "../../source/trigger.ts";
import { RecordedCalls } from "./recorded-calls.ts";
import type { ReasonRecord, RunRecord, RunResult } from "./run-record.ts";
import { settleReason } from "./settle-reason.ts";

/** What is known of a run when it begins. */
export interface RunStart {
  /**
   * If a function: called once at most, and kept for as long as the record is, so that an id which nobody asks for is
   * never made. It should hold on to little.
   */
  readonly reconcileId: string | (() => string);
  readonly reasons: readonly Trigger[];
  /** How many more there were. Default 0. */
  readonly droppedReasons?: number;
  readonly queuedMs: number;
  readonly priority: number;
}

export interface RunEnd {
  readonly result: RunResult;
  readonly error?: Error;
  readonly requeueAfterMs?: number;
}

/** Sees what one run does. */
export interface RunRecorder {
  /** A layer for `client.with`. */
  layer(next: Caller): Caller;
  /** The run has read its object from the cache without a call. Once at most, and before any call. */
  sawCached(resource: Resource, key: ObjectKey, object: KubeObject): void;
  /** Puts the run on record. Only once. */
  end(result: RunEnd): void;
}

/** What a run needs to know of the log that it belongs to. */
export interface RunOwner {
  readonly clock: Clock;
  readonly callsPerRun: number;
  /** The run has ended. */
  keep(run: RecordedRun): void;
  /** Versions that the object of the call had when earlier runs of the key saw it. */
  earlierVersions(keyText: string, call: ApiCall): readonly string[];
}

const longestError = 500;
const noReasons: readonly never[] = [];

/**
 * A run as it is kept: little is made of it while it runs, and the record when somebody asks. While it runs it holds on
 * to what its calls were answered; once it has ended, to names and numbers only.
 */
export class RecordedRun implements RunRecorder {
  readonly keyText: string;
  /** The run of the same key before this one, while that is on record. */
  previous: RecordedRun | undefined;
  readonly #owner: RunOwner;
  readonly #startedAt: number;
  readonly #startedAtMonotonic: number;
  readonly #queuedMs: number;
  readonly #priority: number;
  readonly #droppedReasons: number;
  #reconcileId: string | (() => string);
  /** Until the run ends; they may hold on to objects. */
  #triggers: readonly Trigger[];
  #reasons: readonly ReasonRecord[] = [];
  /** What was read without a call, which most runs do; a call is made of it if anybody asks. */
  #sawResource: Resource | undefined;
  #sawKey: ObjectKey | undefined;
  #sawVersion: string | undefined;
  /** Until the run ends. */
  #sawObject: KubeObject | undefined;
  /** Made with the first call. */
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
    if (error !== undefined) this.#error = shortened(soundError(error).message);
    this.#reasons = this.#triggers.length === 0 ? noReasons : this.#triggers.map(settleReason);
    this.#triggers = noReasons;
    this.#calls?.endRun();
    this.#sawObject = undefined;
    this.#owner.keep(this);
  }

  /** Versions that the object of the call is known to have had. */
  versionsOf(call: ApiCall): readonly string[] {
    return this.#knownCalls?.versionsOf(call) ?? [];
  }

  toRecord(): RunRecord {
    return {
      reconcileId: this.#settleId(),
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

  /** The calls, what was read without one included. */
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

  #settleId(): string {
    if (typeof this.#reconcileId !== "string") this.#reconcileId = this.#reconcileId();
    return this.#reconcileId;
  }
}

function shortened(message: string): string {
  return message.length <= longestError ? message : `${message.slice(0, longestError)}…`;
}
