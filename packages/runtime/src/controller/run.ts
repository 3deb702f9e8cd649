import type { Client } from "@keelson/client";
import type { CancelTimer, KubeObject, ObjectKey, Random, Resource, Stored } from "@keelson/core";
import type { Cache } from "../cache/cache.ts";
import type { LogFields, Logger } from "../logger.ts";
import type { DequeuedItem, Trigger } from "../queue/work-item.ts";
import type { CausalLog } from "./causal/causal-log.ts";
import type { RunRecorder } from "./causal/recorded-run.ts";
import type { EventRecorder } from "./event-recorder.ts";
import type { HotLoopGuard } from "./guard/hot-loop-guard.ts";
import type { Heard } from "./heartbeat.ts";
import type { ReconcileContext } from "./reconciler.ts";
import { withSignal } from "./run-client.ts";
import type { RunTrace, RunTracer, TracedRun } from "./run-tracer.ts";
import { lazyUuid } from "./uuid.ts";
import { WorkTime } from "./work-time.ts";

/** What runs have to do with the hot-loop guard. */
type RunGuard = Pick<HotLoopGuard, "holdMs" | "layer"> & Partial<Pick<HotLoopGuard, "ended" | "forget">>;

/** What the runs of a controller have in common. */
export interface RunSurroundings<Key> {
  readonly liveClient: Client;
  readonly cachedClient: Client;
  /** What `cachedClient` reads from. */
  readonly cache: Pick<Cache, "peek">;
  /** Its lines carry what is known of the controller. */
  readonly log: Logger;
  readonly events: EventRecorder;
  readonly random: Random;
  readonly causalLog: CausalLog;
  readonly guard: RunGuard | undefined;
  /** Default: nobody follows them. */
  readonly traceRun?: RunTracer | undefined;
  /** What a line of the log says about the key [CT16]. */
  readonly fieldsOf: (key: Key) => LogFields;
}

export interface RunStart {
  readonly priority: number;
  readonly queuedMs: number;
  readonly startedMs: number;
  /** How many times in a row the key has failed before. */
  readonly failures: number;
  /** What ends its calls as long as it has no signal of its own; undefined if nothing but that will do. */
  readonly sharedSignal: AbortSignal | undefined;
  /** On the clock of `startedMs`. */
  readonly nowMs: () => number;
}

/**
 * One reconcile of one key: what the reconciler is given, and what its worker keeps about it. A run that needs no client,
 * log or signal has none made for it.
 */
export class Run<Key> implements ReconcileContext<Key>, TracedRun, Heard {
  readonly item: DequeuedItem<Key>;
  readonly priority: number;
  readonly queuedMs: number;
  readonly startedMs: number;
  readonly failures: number;
  readonly recorder: RunRecorder;
  readonly trace: RunTrace | undefined;
  /** The timer that watches over it: its time limit, or that it heeds its signal. */
  cancelTimer: CancelTimer | undefined;
  hasTimedOut = false;

  readonly #around: RunSurroundings<Key>;
  readonly #id: () => string;
  readonly #workTime: WorkTime;
  readonly #sharedSignal: AbortSignal | undefined;
  #abortReason: unknown;
  #isAborted = false;
  #controller: AbortController | undefined;
  #client: Client | undefined;
  #liveClient: Client | undefined;
  #log: Logger | undefined;

  constructor(item: DequeuedItem<Key>, start: RunStart, around: RunSurroundings<Key>) {
    this.item = item;
    this.priority = start.priority;
    this.queuedMs = start.queuedMs;
    this.startedMs = start.startedMs;
    this.failures = start.failures;
    this.#sharedSignal = start.sharedSignal;
    this.#around = around;
    this.#id = lazyUuid(around.random);
    this.#workTime = new WorkTime(start.startedMs, start.nowMs);
    this.recorder = around.causalLog.begin(item.keyText, {
      reconcileId: this.#id,
      reasons: item.reasons,
      droppedReasons: item.reasonCount - item.reasons.length,
      queuedMs: start.queuedMs,
      priority: start.priority,
    });
    this.trace = around.traceRun?.(this);
  }

  get key(): Key {
    return this.item.key;
  }

  get keyText(): string {
    return this.item.keyText;
  }

  get reasons(): readonly Trigger[] {
    return this.item.reasons;
  }

  get reasonCount(): number {
    return this.item.reasonCount;
  }

  get reconcileId(): string {
    return this.#id();
  }

  get events(): EventRecorder {
    return this.#around.events;
  }

  get client(): Client {
    this.#client ??= this.#clientOn(this.#around.cachedClient);
    return this.#client;
  }

  get liveClient(): Client {
    this.#liveClient ??= this.#clientOn(this.#around.liveClient);
    return this.#liveClient;
  }

  get log(): Logger {
    this.#log ??= this.#around.log.with({
      ...this.#around.fieldsOf(this.item.key),
      reconcileID: this.reconcileId,
    });
    return this.#log;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  /**
   * The object if the cache has it at hand, which is many times quicker than to ask the client for it; recorded as a read
   * of that. Undefined says nothing: the object may be gone, not known yet, or written and not come back.
   */
  peek<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Stored<T> | undefined {
    // Whoever follows the run is to see the call.
    if (this.trace !== undefined) return undefined;
    const object = this.#around.cache.peek(resource, key);
    if (object !== undefined) this.recorder.sawCached(resource, key, object);
    return object;
  }

  takeWorkMs(nowMs: number): number {
    return this.#workTime.takeMs(nowMs);
  }

  /** The object of the key is gone: what was learnt about its writes does not count for another of the same name. */
  noteGone(): void {
    this.#around.guard?.forget?.(this.item.keyText);
  }

  get isAborted(): boolean {
    return this.#isAborted;
  }

  get abortReason(): unknown {
    return this.#abortReason;
  }

  /** Aborts its signal, also one that is asked for later. The first reason counts. */
  abort(reason: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#abortReason = reason;
    this.#controller?.abort(reason);
  }

  #clientOn(base: Client): Client {
    const { guard } = this.#around;
    const { trace } = this;
    const traced = trace === undefined ? base : base.with((next) => trace.layer(next));
    const guarded =
      guard === undefined ? traced : traced.with((next) => guard.layer(this.item.keyText, next));
    return withSignal(
      guarded.with((next) => this.#workTime.layer(this.recorder.layer(next))),
      () => this.#callSignal,
    );
  }

  /**
   * A signal of its own costs more than most reconciles, and is not needed for calls that are to end when all do. It is
   * not what `signal` gives: listeners that a reconciler forgets there must go with the run.
   */
  get #callSignal(): AbortSignal {
    return this.#controller?.signal ?? this.#sharedSignal ?? this.signal;
  }
}
