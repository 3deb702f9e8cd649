import { abortable, type Clock, toError } from "@keelson/core";
import type { Source, SourceContext } from "../source/source.ts";
import { SourceFailedError, SourceSyncTimeoutError } from "./errors.ts";

/** A source that feeds a controller. */
export interface RunningWatch {
  /** The name of the source. */
  readonly source: string;
  /** Resolves when all that was there at the beginning is queued, or when it is removed; rejects if that cannot be. */
  readonly synced: Promise<void>;
  /** Once it resolves, the source queues nothing any more. Does no harm when called twice. */
  remove(): Promise<void>;
}

/** One source of one controller: not yet started, running, or removed. Each is reached at most once. */
export class SourceWatch<Key> implements RunningWatch {
  readonly source: string;
  readonly synced: Promise<void>;
  readonly #controller: string;
  readonly #source: Source<Key>;
  readonly #stop = new AbortController();
  readonly #sync: PromiseWithResolvers<void> = Promise.withResolvers();
  #hasSynced = false;
  #hasStarted = false;
  #ended: Promise<void> = Promise.resolve();

  constructor(controller: string, source: Source<Key>) {
    this.source = source.name;
    this.synced = this.#sync.promise;
    // Those who wait are told. If nobody does, it is not a failure of the process.
    this.synced.catch(() => undefined);
    this.#controller = controller;
    this.#source = source;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  start(context: Omit<SourceContext<Key>, "signal">): void {
    if (this.#hasStarted || this.#stop.signal.aborted) return;
    this.#hasStarted = true;
    try {
      const running = this.#source.run({ ...context, signal: this.#stop.signal });
      this.#ended = running.ended.catch((error: unknown) => {
        context.log.error("a source did not end well", { source: this.source, error: toError(error) });
      });
      running.synced.then(
        () => this.#finishSync(),
        (error: unknown) => this.#fail(error),
      );
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Ends it without waiting for that. */
  stop(): void {
    this.#stop.abort();
    this.#finishSync();
  }

  async remove(): Promise<void> {
    this.stop();
    await this.#ended;
  }

  #finishSync(): void {
    this.#hasSynced = true;
    this.#sync.resolve();
  }

  #fail(error: unknown): void {
    this.#sync.reject(new SourceFailedError(this.#controller, this.source, toError(error)));
  }
}

export interface SyncWait {
  readonly controller: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Waits until all have synced; throws what the first one that fails says, or which ones were too slow. */
export async function waitForSync(
  watches: readonly SourceWatch<never>[],
  { controller, clock, timeoutMs, signal }: SyncWait,
): Promise<void> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const cancelTimer = clock.schedule(timeoutMs, () => {
    const late = watches.filter(({ hasSynced }) => !hasSynced).map(({ source }) => source);
    reject(new SourceSyncTimeoutError(controller, late, timeoutMs));
  });
  try {
    await abortable(Promise.race([Promise.all(watches.map(({ synced }) => synced)), timeout]), signal);
  } finally {
    cancelTimer();
  }
}
