import { type Client, createClient } from "@keelson/client";
import { type CancelTimer, type Clock, seededRandom, type Transport } from "@keelson/core";
import { RecordingLogger, VirtualClock } from "@keelson/testkit";
import type { Cache } from "../../src/cache/cache.ts";
import { Controller } from "../../src/controller/controller.ts";
import type { ControllerDefinition, ControllerOptions } from "../../src/controller/controller-definition.ts";
import type { ControllerDependencies } from "../../src/controller/controller-dependencies.ts";
import type { Reconciler } from "../../src/controller/reconciler.ts";
import type { RunningSource, Source, SourceContext } from "../../src/source/source.ts";
import { RecordingControllerObserver } from "./recording-controller-observer.ts";

/** A source that the test controls. */
export class TestSource implements Source<string> {
  readonly name: string;
  starts = 0;
  readonly #synced: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #ended: PromiseWithResolvers<void> = Promise.withResolvers();
  /** Whether it ends when its signal aborts. */
  heedsSignal = true;
  context: SourceContext<string> | undefined;

  constructor(name = "test source") {
    this.name = name;
  }

  run(context: SourceContext<string>): RunningSource {
    this.starts += 1;
    this.context = context;
    context.signal.addEventListener("abort", () => this.heedsSignal && this.#ended.resolve());
    return { synced: this.#synced.promise, ended: this.#ended.promise };
  }

  add(key: string, options: { priority?: number; afterMs?: number } = {}): void {
    if (this.context === undefined) throw new Error("the source has not been started");
    this.context.enqueue(key, { trigger: { source: this.name, type: "update" }, ...options });
  }

  sync(): void {
    this.#synced.resolve();
  }

  fail(error: Error): void {
    this.#synced.reject(error);
  }

  end(): void {
    this.#ended.resolve();
  }

  get isStopped(): boolean {
    return this.context?.signal.aborted ?? false;
  }
}

/** A source that has synced as soon as it runs. */
export function readySource(name?: string): TestSource {
  const source = new TestSource(name);
  source.sync();
  return source;
}

/** A virtual clock on which synchronous work can take time. */
export class BusyClock implements Clock {
  readonly virtual: VirtualClock = new VirtualClock();
  #busyMs = 0;

  now(): number {
    return this.virtual.now() + this.#busyMs;
  }

  monotonicNow(): number {
    return this.virtual.monotonicNow() + this.#busyMs;
  }

  schedule(delayMs: number, callback: () => void): CancelTimer {
    return this.virtual.schedule(delayMs, callback);
  }

  /** Lets synchronous work take so long. */
  work(ms: number): void {
    this.#busyMs += ms;
  }
}

/** A busy clock that measures CPU time: the thread may be kept from running. */
export class ThrottledClock extends BusyClock {
  #stalledMs = 0;

  cpuNow(): number {
    return this.monotonicNow() - this.#stalledMs;
  }

  /** Keeps the thread from running for so long. */
  stall(ms: number): void {
    this.work(ms);
    this.#stalledMs += ms;
  }
}

/** A server that never responds: calls end only by their signals. */
export const silentTransport: Transport = {
  send: (request) =>
    new Promise((_, reject) => {
      const fail = (): void => reject(request.signal?.reason);
      if (request.signal?.aborted) fail();
      else request.signal?.addEventListener("abort", fail, { once: true });
    }),
  close: async () => undefined,
};

/** An empty cache, for sources that do not use one. */
export const emptyCache: Cache = {
  acquire: () => {
    throw new Error("nothing in these tests is cached");
  },
  addIndex: () => undefined,
  peek: () => undefined,
  coversNamespace: () => true,
  run: async () => undefined,
  synced: async () => undefined,
  statuses: [],
};

export interface World {
  readonly clock: VirtualClock;
  readonly source: TestSource;
  readonly log: RecordingLogger;
  readonly observer: RecordingControllerObserver;
  readonly controller: Controller<string>;
  readonly client: Client;
  /** The result of `run`, once it was started. */
  readonly running: Promise<void>;
  start(): Promise<void>;
  /** Aborts the signal, without waiting. */
  abort(reason?: unknown): void;
  stop(): Promise<void>;
}

export interface WorldOptions extends ControllerOptions {
  readonly reconcile: Reconciler<string>;
  readonly sources?: readonly Source<string>[];
  readonly environment?: Partial<ControllerDependencies>;
  readonly definition?: Partial<ControllerDefinition<string>>;
  readonly clock?: VirtualClock;
}

/** A controller of strings with one source, on a virtual clock. It has not been started. */
export function controllerWorld(options: WorldOptions): World {
  const {
    reconcile,
    sources,
    environment,
    definition,
    clock = new VirtualClock(),
    ...controllerOptions
  } = options;
  const source = readySource();
  const log = new RecordingLogger();
  const observer = new RecordingControllerObserver();
  const client = createClient({ transport: silentTransport, clock });
  const controller = new Controller<string>(
    {
      name: "test",
      formatKey: (key) => key,
      sources: sources ?? [source],
      reconcile,
      options: controllerOptions,
      ...definition,
    },
    {
      client,
      cache: emptyCache,
      cachedClient: client,
      clock,
      random: seededRandom(1),
      log,
      observer,
      ...environment,
    },
    undefined,
  );
  const signals = new AbortController();
  let running: Promise<void> = Promise.resolve();
  return {
    clock,
    source,
    log,
    observer,
    controller,
    client,
    get running() {
      return running;
    },
    start: async () => {
      running = controller.run(signals.signal);
      // `stop` or the test itself awaits it.
      running.catch(() => undefined);
      await clock.settle();
    },
    abort: (reason) => signals.abort(reason),
    stop: async () => {
      signals.abort();
      await running;
    },
  };
}
