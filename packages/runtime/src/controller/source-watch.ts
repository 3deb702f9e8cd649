import { abortable, type CancelTimer, type Clock } from "@keelson/core";
import type { Logger } from "../logger.ts";
import { normalizeError } from "../source/normalize-error.ts";
import type { Source, SourceContext } from "../source/source.ts";
import { SourceFailedError, SourceSyncTimeoutError } from "./errors.ts";

/** How long a source may go on after its signal has aborted before that is logged. */
const overdueMs = 10_000;

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
  /** Set while it runs: logs after a while that it has not ended. */
  #reportLateEnd: (() => CancelTimer) | undefined;

  constructor(controller: string, source: Source<Key>) {
    this.source = source.name;
    this.synced = this.#sync.promise;
    // Callers that wait get the error. If none waits, it is not a failure of the process.
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
      this.#reportLateEnd = () => context.clock.schedule(overdueMs, () => this.#warnOfLateEnd(context.log));
      this.#ended = running.ended
        .catch((error: unknown) => {
          context.log.error("a source did not end well", {
            source: this.source,
            error: normalizeError(error),
          });
        })
        .finally(() => {
          this.#reportLateEnd = undefined;
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
    if (this.#stop.signal.aborted) return;
    const cancelReport = this.#reportLateEnd?.();
    if (cancelReport !== undefined) void this.#ended.then(cancelReport);
    this.#stop.abort();
    this.#finishSync();
  }

  async remove(): Promise<void> {
    this.stop();
    await this.#ended;
  }

  #warnOfLateEnd(log: Logger): void {
    log.warn(
      "source is overdue: it goes on after its signal aborted, and the stop waits for it; end it then",
      {
        source: this.source,
        abortedForMs: overdueMs,
      },
    );
  }

  #finishSync(): void {
    this.#hasSynced = true;
    this.#sync.resolve();
  }

  #fail(error: unknown): void {
    this.#sync.reject(new SourceFailedError(this.#controller, this.source, normalizeError(error)));
  }
}

export interface SyncWait {
  readonly controller: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Waits until all have synced; throws the error of the first one that fails, or one that names those that were too slow. */
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
