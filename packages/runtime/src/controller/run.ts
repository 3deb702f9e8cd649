import { type ApiCall, type Caller, type Client, isWrite, NotFoundError, signalLayer } from "@keelson/client";
import {
  type CancelTimer,
  type Clock,
  type KubeObject,
  type ObjectKey,
  type Random,
  type Resource,
  randomUuid,
  type Stored,
} from "@keelson/core";
import type { Cache } from "../cache/cache.ts";
import type { LogFields, Logger } from "../logger.ts";
import type { DequeuedItem, Trigger } from "../queue/work-item.ts";
import type { CausalLog } from "./causal/causal-log.ts";
import type { RunRecorder } from "./causal/recorded-run.ts";
import type { EventRecorder } from "./event-recorder.ts";
import type { HotLoopGuard } from "./guard/hot-loop-guard.ts";
import type { ReconcileRun } from "./reconciler.ts";
import type { RunTrace, RunTracer, TracedRun } from "./run-tracer.ts";

/** What runs have to do with the hot-loop guard. */
type RunGuard = Pick<HotLoopGuard, "holdMs" | "layer"> & Partial<Pick<HotLoopGuard, "ended" | "forget">>;

/** What all runs of a controller share. */
export interface ControllerServices<Key, Settings = unknown> {
  readonly liveClient: Client;
  readonly cachedClient: Client;
  /** What `cachedClient` reads from. */
  readonly cache: Pick<Cache, "peek">;
  readonly clock: Clock;
  /** Its lines name the controller. */
  readonly log: Logger;
  readonly events: EventRecorder;
  readonly random: Random;
  readonly causalLog: CausalLog;
  readonly guard: RunGuard | undefined;
  /** Default: runs are not traced. */
  readonly traceRun?: RunTracer | undefined;
  /** The fields of a log line that identify the key [CT16]. */
  readonly fieldsOf: (key: Key) => LogFields;
  /** The field owner of what its reconciles apply. */
  readonly fieldOwner: string;
  /** The settings of the operator. */
  readonly settings: Settings;
}

export interface RunStart {
  readonly priority: number;
  readonly queuedMs: number;
  readonly startedMs: number;
  /** How many times in a row the key has failed before. */
  readonly failures: number;
  /** Aborts its calls as long as it has no signal of its own; undefined if it needs its own from the start. */
  readonly sharedSignal: AbortSignal | undefined;
}

/**
 * One reconcile of one key: the context of the reconciler, and what its worker keeps about it. A run that needs no client,
 * log or signal has none made for it.
 */
export class Run<Key, Settings = unknown> implements ReconcileRun<Key, Settings>, TracedRun {
  readonly item: DequeuedItem<Key>;
  readonly priority: number;
  readonly queuedMs: number;
  readonly startedMs: number;
  readonly failures: number;
  readonly recorder: RunRecorder;
  readonly trace: RunTrace | undefined;
  /** The timer that watches over it: its time limit, or, after an abort, the wait for its end. */
  cancelTimer: CancelTimer | undefined;
  hasTimedOut = false;
  /** The error of the last write of a status, unless a later one succeeded. */
  statusError: unknown;

  readonly #services: ControllerServices<Key, Settings>;
  /** Made when it is first read, which most runs never do. */
  #id: string | undefined;
  readonly #sharedSignal: AbortSignal | undefined;
  #abortReason: unknown;
  #isAborted = false;
  #controller: AbortController | undefined;
  #client: Client | undefined;
  #liveClient: Client | undefined;
  #log: Logger | undefined;

  constructor(item: DequeuedItem<Key>, start: RunStart, services: ControllerServices<Key, Settings>) {
    this.item = item;
    this.priority = start.priority;
    this.queuedMs = start.queuedMs;
    this.startedMs = start.startedMs;
    this.failures = start.failures;
    this.#sharedSignal = start.sharedSignal;
    this.#services = services;
    this.recorder = services.causalLog.begin(item.keyText, {
      reconcileId: () => this.reconcileId,
      reasons: item.reasons,
      droppedReasons: item.reasonCount - item.reasons.length,
      queuedMs: start.queuedMs,
      priority: start.priority,
    });
    this.trace = services.traceRun?.(this);
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
    this.#id ??= randomUuid(this.#services.random);
    return this.#id;
  }

  get events(): EventRecorder {
    return this.#services.events;
  }

  get clock(): Clock {
    return this.#services.clock;
  }

  get settings(): Settings {
    return this.#services.settings;
  }

  get fieldOwner(): string {
    return this.#services.fieldOwner;
  }

  get client(): Client {
    this.#client ??= this.#clientOn(this.#services.cachedClient);
    return this.#client;
  }

  get liveClient(): Client {
    this.#liveClient ??= this.#clientOn(this.#services.liveClient);
    return this.#liveClient;
  }

  get log(): Logger {
    this.#log ??= this.#services.log.with({
      ...this.#services.fieldsOf(this.item.key),
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

  peek<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Stored<T> | undefined {
    // A trace must see the read as a call.
    if (this.trace !== undefined) return undefined;
    const object = this.#services.cache.peek(resource, key);
    if (object !== undefined) this.recorder.sawCached(resource, key, object);
    return object;
  }

  objectNotFound(): void {
    this.#services.guard?.forget?.(this.item.keyText);
  }

  get isAborted(): boolean {
    return this.#isAborted;
  }

  get abortReason(): unknown {
    return this.#abortReason;
  }

  /** Aborts its signal, also one that is read later. The first reason counts. */
  abort(reason: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#abortReason = reason;
    this.#controller?.abort(reason);
  }

  #clientOn(base: Client): Client {
    return base.with((next) => this.#layer(next));
  }

  /** Traces, guards and records each call, and aborts it with the run. */
  #layer(next: Caller): Caller {
    const traced = this.trace?.layer(next) ?? next;
    const guarded = this.#services.guard?.layer(this.item.keyText, traced) ?? traced;
    const recorded = this.recorder.layer(guarded);
    return signalLayer(this.#statusLayer(recorded), () => this.#callSignal);
  }

  #statusLayer(next: Caller): Caller {
    return {
      json: (call) =>
        call.subresource === "status" && isWrite(call) ? this.#writeStatus(call, next) : next.json(call),
      stream: (call) => next.stream(call),
      raw: (call) => next.raw(call),
    };
  }

  async #writeStatus(call: ApiCall, next: Caller): Promise<unknown> {
    try {
      const response = await next.json(call);
      this.statusError = undefined;
      return response;
    } catch (error) {
      // An object that does not exist has no status to write.
      if (!(error instanceof NotFoundError)) this.statusError = error;
      throw error;
    }
  }

  /**
   * A signal of its own costs more than most reconciles, and calls that end with the controller do not need it. It is not
   * what `signal` returns: listeners that a reconciler leaves there must go with the run.
   */
  get #callSignal(): AbortSignal {
    return this.#controller?.signal ?? this.#sharedSignal ?? this.signal;
  }
}

/**
 * A client that reads from the server and writes through the cached client, so that the cache includes the writes in
 * later reads [RW1].
 */
export function liveReads(live: Client, cached: Client): Client {
  return live.with((next) => ({
    json: (call) => (isWrite(call) ? cached.caller.json(call) : next.json(call)),
    stream: (call) => next.stream(call),
    raw: (call) => next.raw(call),
  }));
}
