import { sleep } from "@keelson/core";
import { Hooks } from "../hooks.ts";
import type { Logger } from "../logger.ts";
import { WorkQueue } from "../queue/work-queue.ts";
import { normalizeError } from "../source/normalize-error.ts";
import type { Source, SourceContext } from "../source/source.ts";
import { steadyLogger } from "../steady-logger.ts";
import { CausalLog } from "./causal/causal-log.ts";
import {
  type ControllerDefinition,
  concurrencyDefaultProblems,
  concurrencyOf,
  optionProblems,
  queueOptionsOf,
} from "./controller-definition.ts";
import type { ControllerDependencies } from "./controller-dependencies.ts";
import type { ControllerObserver } from "./controller-observer.ts";
import { ControllerReusedError, ControllerStoppedError, InvalidControllerError } from "./errors.ts";
import { type EventRecorder, noEvents } from "./event-recorder.ts";
import { HotLoopGuard, type HotLoopObserver } from "./guard/hot-loop-guard.ts";
import { guardedEvents, guardedLimiter, guardedObserver, guardedTracer } from "./guarded-hooks.ts";
import { controllerFields, keyFields } from "./log-fields.ts";
import { liveReads } from "./run.ts";
import { type RunningWatch, SourceWatch, waitForSync } from "./source-watch.ts";
import { Workers } from "./workers.ts";

const defaultSyncTimeoutMs = 120_000;
/** How long a start that failed waits for its sources to end. One of them may be what hangs. */
const failedStartGraceMs = 10_000;

/**
 * Runs a definition: sources fill a queue, workers empty it. It is run once:
 *
 *     made ── warmUp ──▶ sources run, keys gather ── run ──▶ all synced: workers run ── signal ──▶ ended
 *       └──────────────────────── run ──────────────────────────▲
 */
export class Controller<Key, Settings = unknown> {
  readonly name: string;
  /** Why did this run? */
  readonly causalLog: CausalLog;
  readonly #definition: ControllerDefinition<Key, Settings>;
  readonly #dependencies: ControllerDependencies;
  readonly #log: Logger;
  readonly #observer: ControllerObserver | undefined;
  readonly #queue: WorkQueue<Key>;
  readonly #workers: Workers<Key, Settings>;
  readonly #concurrency: number;
  readonly #sourceContext: Omit<SourceContext<Key>, "signal">;
  /** All sources that are not removed. Before the start none of them runs, after it all do. */
  readonly #watches: Set<SourceWatch<Key>> = new Set();
  #hasStarted = false;
  #hasRun = false;
  /** Aborts when one of the signals does that `warmUp` and `run` were given, or when something failed. */
  readonly #stop = new AbortController();
  readonly #unlink: (() => void)[] = [];
  #failure: Error | undefined;
  #ended: Promise<void> | undefined;

  /** Throws an InvalidControllerError, or a DuplicateControllerNameError. */
  constructor(
    definition: ControllerDefinition<Key, Settings>,
    dependencies: ControllerDependencies,
    settings: Settings,
  ) {
    const { name, kind, options, formatKey } = definition;
    const problems = [
      ...optionProblems(options),
      ...concurrencyDefaultProblems(kind, dependencies.concurrency),
    ];
    if (problems.length > 0) throw new InvalidControllerError(name, problems);
    if (options.allowSharedName !== true) dependencies.names?.take(name);
    const { client, cachedClient, cache, clock, random, events = noEvents, tracer } = dependencies;
    this.name = name;
    this.causalLog = new CausalLog({ ...dependencies.causalLog, clock });
    this.#definition = definition;
    this.#dependencies = dependencies;
    this.#log = steadyLogger(dependencies.log).with(controllerFields(definition));
    const fieldsOf = keyFields(kind, formatKey);
    const hooks = new Hooks(this.#log);
    const observer = dependencies.observer && guardedObserver(dependencies.observer, hooks);
    this.#observer = observer;
    const recorder = guardedEvents(events, hooks);
    const queueOptions = queueOptionsOf(definition, clock, observer?.queueObserver(name));
    this.#queue = new WorkQueue({
      ...queueOptions,
      rateLimiter: guardedLimiter(queueOptions.rateLimiter, hooks),
    });
    this.#concurrency = concurrencyOf(options, kind, dependencies.concurrency);
    this.#sourceContext = {
      enqueue: (key, options) => {
        if (this.#isWatched(key)) this.#queue.add(key, options);
        else this.#log.debug("a key outside of the watched namespaces is dropped", fieldsOf(key));
      },
      formatKey,
      cache,
      client: cachedClient,
      clock,
      log: this.#log,
      handlerFailed: (source, reason) => observer?.handlerFailed?.(name, source, reason),
    };
    this.#workers = new Workers({
      controller: name,
      concurrency: this.#concurrency,
      timeoutMs: options.timeoutMs,
      recoverFromThrows: options.recoverFromThrows ?? true,
      reconcile: definition.reconcile,
      queue: this.#queue,
      clock,
      observer,
      services: {
        liveClient: liveReads(client, cachedClient),
        cachedClient,
        cache,
        clock,
        settings,
        fieldOwner: options.fieldOwner ?? name,
        log: this.#log,
        events: recorder,
        random,
        causalLog: this.causalLog,
        guard: this.#makeGuard(recorder, observer?.hotLoopObserver(name)),
        traceRun: tracer && guardedTracer(tracer, definition, hooks),
        fieldsOf,
      },
    });
    for (const source of definition.sources) this.#watches.add(new SourceWatch(name, source));
  }

  /** Whether the cache has objects of the main kind in the namespace of the key. A reconcile could not read others [EV13]. */
  #isWatched(key: Key): boolean {
    const { kind, namespaceOf } = this.#definition;
    const namespace = kind?.scope === "Namespaced" ? namespaceOf?.(key) : undefined;
    if (kind === undefined || namespace === undefined || namespace === "") return true;
    return this.#dependencies.cache.coversNamespace(kind, namespace);
  }

  /**
   * Reconciles until the signal aborts, and resolves when all that it began has ended [CT14]; an abort before it could
   * begin is no error. Rejects if a source does not sync, and if a reconciler is broken [CT9]. Only once [CT11].
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#hasRun) throw new ControllerReusedError(this.name);
    this.#hasRun = true;
    await this.warmUp(signal);
    // What was added in the meantime is waited for as well: no reconcile before all that is known is queued [CT12].
    while (!this.#stop.signal.aborted && this.#unsynced().length > 0) await this.#waitForSync();
    if (!this.#stop.signal.aborted) await this.#work();
    await this.ended();
  }

  /**
   * Starts the sources, so that the work is at hand when `run` is called [CT17]. Resolves when they have synced, or when
   * the signal aborts. Calls share one start. The signal ends the sources, also those of a later `run`.
   */
  async warmUp(signal: AbortSignal): Promise<void> {
    this.#stopWith(signal);
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#stop.signal.aborted) return;
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      this.#log.info("controller starts", { sources: [...this.#watches].map(({ source }) => source) });
      for (const watch of this.#watches) watch.start(this.#sourceContext);
    }
    await this.#waitForSync();
  }

  /**
   * Adds a source, which begins at once, or with the controller if that has not started [CT13]. A source that fails
   * later than the start is logged, and its `synced` rejects; the controller goes on.
   */
  watch(source: Source<Key>): RunningWatch {
    if (this.#stop.signal.aborted) throw new ControllerStoppedError(this.name);
    const watch = new SourceWatch(this.name, source);
    this.#watches.add(watch);
    if (this.#hasStarted) {
      watch.start(this.#sourceContext);
      if (this.#hasRun) this.#reportLateSync(watch);
    }
    return {
      source: watch.source,
      synced: watch.synced,
      remove: async () => {
        await watch.remove();
        this.#watches.delete(watch);
      },
    };
  }

  /** Resolves after the stop, when no worker, source, timer or listener is left. */
  ended(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #work(): Promise<void> {
    this.#observer?.started(this.name, this.#concurrency);
    this.#log.info("workers start", { workers: this.#concurrency });
    try {
      await this.#workers.run();
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #end(): Promise<void> {
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    if (this.#stop.signal.aborted) resolve();
    else this.#stop.signal.addEventListener("abort", () => resolve(), { once: true });
    await stopped;
    await Promise.all([...this.#watches].map((watch) => watch.remove()));
    if (this.#definition.options.allowSharedName !== true) this.#dependencies.names?.release(this.name);
    this.#log.info("controller ended");
  }

  #unsynced(): readonly SourceWatch<Key>[] {
    return [...this.#watches].filter(({ hasSynced }) => !hasSynced);
  }

  async #waitForSync(): Promise<void> {
    const { clock } = this.#dependencies;
    const { cacheSyncTimeoutMs: timeoutMs = defaultSyncTimeoutMs } = this.#definition.options;
    const { signal } = this.#stop;
    try {
      await waitForSync(this.#unsynced(), { controller: this.name, clock, timeoutMs, signal });
    } catch (error) {
      if (this.#failure !== undefined) throw this.#failure;
      if (!signal.aborted) await this.#fail(error);
    }
  }

  #reportLateSync(watch: SourceWatch<Key>): void {
    const { clock } = this.#dependencies;
    const { cacheSyncTimeoutMs: timeoutMs = defaultSyncTimeoutMs } = this.#definition.options;
    const { signal } = this.#stop;
    waitForSync([watch], { controller: this.name, clock, timeoutMs, signal }).catch((error: unknown) => {
      if (!signal.aborted)
        this.#log.error("a source that was added does not sync", { error: normalizeError(error) });
    });
  }

  /** Ends everything, and throws. */
  async #fail(caught: unknown): Promise<never> {
    const error = normalizeError(caught);
    this.#failure ??= error;
    this.#stopNow(new ControllerStoppedError(this.name));
    const grace = new AbortController();
    const ended = this.ended().finally(() => grace.abort());
    // Either of the two: all has ended, or the time is up.
    await Promise.race([
      ended,
      sleep(this.#dependencies.clock, failedStartGraceMs, grace.signal).catch(() => undefined),
    ]);
    throw error;
  }

  #stopWith(signal: AbortSignal): void {
    const stop = (): void => this.#stopNow(signal.reason);
    if (signal.aborted) {
      stop();
      return;
    }
    signal.addEventListener("abort", stop, { once: true });
    this.#unlink.push(() => signal.removeEventListener("abort", stop));
  }

  #stopNow(reason: unknown): void {
    if (this.#stop.signal.aborted) return;
    for (const unlink of this.#unlink.splice(0)) unlink();
    this.#workers.stop(reason);
    for (const watch of this.#watches) watch.stop();
    this.#stop.abort(reason);
    // Also if no caller waits for it: the name is free again when all has ended.
    this.ended().catch((error: unknown) => {
      this.#log.error("controller did not end well", { error: normalizeError(error) });
    });
  }

  #makeGuard(events: EventRecorder, observer: HotLoopObserver | undefined): HotLoopGuard | undefined {
    if (this.#definition.options.guardHotLoops === false) return undefined;
    const { clock, cache, client: liveClient } = this.#dependencies;
    return new HotLoopGuard({
      clock,
      log: this.#log,
      cache,
      liveClient,
      controllerName: this.name,
      events,
      ...(observer !== undefined && { observer }),
    });
  }
}
