import type { Client } from "@keelson/client";
import type { CancelTimer, Random } from "@keelson/core";
import type { LogFields, Logger } from "../logger.ts";
import type { Trigger } from "../source/trigger.ts";
import type { CausalLog, RunRecorder } from "./causal/causal-log.ts";
import type { EventRecorder } from "./event-recorder.ts";
import type { HotLoopGuard } from "./guard/hot-loop-guard.ts";
import type { ReconcileContext } from "./reconciler.ts";
import { withSignal } from "./run-client.ts";
import { lazyUuid } from "./uuid.ts";
import type { WorkItem } from "./work-item.ts";

/** What the runs of a controller have in common. */
export interface RunSurroundings<Key> {
  readonly liveClient: Client;
  readonly cachedClient: Client;
  /** Its lines carry what is known of the controller. */
  readonly log: Logger;
  readonly events: EventRecorder;
  readonly random: Random;
  readonly causalLog: CausalLog;
  readonly guard: Pick<HotLoopGuard, "holdMs" | "layer"> | undefined;
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
}

/**
 * One reconcile of one key: what the reconciler is given, and what its worker keeps about it. A run that needs no client,
 * log or signal has none made for it.
 */
export class Run<Key> implements ReconcileContext<Key> {
  readonly item: WorkItem<Key>;
  readonly priority: number;
  readonly startedMs: number;
  readonly failures: number;
  readonly recorder: RunRecorder;
  /** The timer that watches over it: its time limit, or that it heeds its signal. */
  cancelTimer: CancelTimer | undefined;
  hasTimedOut = false;

  readonly #around: RunSurroundings<Key>;
  readonly #id: () => string;
  readonly #sharedSignal: AbortSignal | undefined;
  #abortReason: unknown;
  #isAborted = false;
  #controller: AbortController | undefined;
  #client: Client | undefined;
  #liveClient: Client | undefined;
  #log: Logger | undefined;

  constructor(item: WorkItem<Key>, start: RunStart, around: RunSurroundings<Key>) {
    this.item = item;
    this.priority = start.priority;
    this.startedMs = start.startedMs;
    this.failures = start.failures;
    this.#sharedSignal = start.sharedSignal;
    this.#around = around;
    this.#id = lazyUuid(around.random);
    this.recorder = around.causalLog.begin(item.text, {
      reconcileId: this.#id,
      reasons: item.reasons,
      droppedReasons: item.reasonCount - item.reasons.length,
      queuedMs: start.queuedMs,
      priority: start.priority,
    });
  }

  get key(): Key {
    return this.item.key;
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
    const guarded = guard === undefined ? base : base.with((next) => guard.layer(this.item.text, next));
    return withSignal(
      guarded.with((next) => this.recorder.layer(next)),
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
