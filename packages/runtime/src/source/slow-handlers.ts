import { type CancelTimer, type Clock, KeelsonError } from "@keelson/core";

/** How long the next event waits for an asynchronous handler, while no other one is overdue. */
const patienceMs = 1_000;
/** A handler that runs for longer is logged. */
const warnAfterMs = 10_000;
/** A handler that runs for longer has failed. */
const handlerLimitMs = 30_000;
/** This many overdue handlers run at once; the delivery of more events waits. */
const mostOverdue = 1024;

/** An asynchronous event handler has not ended in time. Its keys are ignored, and it is called again later. */
export class HandlerTimeoutError extends KeelsonError {
  static override readonly brand: string = "keelson.HandlerTimeoutError";
  readonly code = "HANDLER_TIMEOUT";
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`the handler has not ended within ${timeoutMs / 1000} s, and its keys are ignored`);
    this.timeoutMs = timeoutMs;
  }
}

/**
 * The limits of asynchronous event handlers, of which one may never end:
 *
 *     called ── 1 s ──▶ overdue: the next event is handled ── 10 s ──▶ logged ── 30 s ──▶ HandlerTimeoutError
 *
 * The more handlers are overdue, the shorter the next event waits, so that a thousand of them delay it by seconds.
 */
export class SlowHandlers {
  readonly #clock: Clock;
  readonly #warn: (overdueCount: number, ranForMs: number) => void;
  readonly #overdue: Set<Promise<void>> = new Set();
  #warnedAtMs = Number.NEGATIVE_INFINITY;
  /** Resolves when there is room for another overdue handler. */
  #room: PromiseWithResolvers<void> | undefined;

  /** `warn` is called when a handler runs for 10 s, at most every 10 s. */
  constructor(clock: Clock, warn: (overdueCount: number, ranForMs: number) => void) {
    this.#clock = clock;
    this.#warn = warn;
  }

  /** Settles as the handler does, or throws a HandlerTimeoutError when its time is over. */
  async limited<Value>(handled: Promise<Value>): Promise<Value> {
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    let cancel: CancelTimer = this.#clock.schedule(warnAfterMs, () => {
      this.#warnSometimes();
      cancel = this.#clock.schedule(handlerLimitMs - warnAfterMs, () =>
        reject(new HandlerTimeoutError(handlerLimitMs)),
      );
    });
    try {
      return await Promise.race([handled, timeout]);
    } finally {
      cancel();
    }
  }

  /** Resolves when the next event may be handled: the handler has ended, or is overdue. `handled` never rejects. */
  async next(handled: Promise<void>): Promise<void> {
    const { promise: patience, resolve } = Promise.withResolvers<"overdue">();
    const cancel = this.#clock.schedule(patienceMs / (this.#overdue.size + 1), () => resolve("overdue"));
    const first = await Promise.race([handled, patience]);
    cancel();
    if (first !== "overdue") return;
    this.#overdue.add(handled);
    void handled.then(() => this.#leave(handled));
    if (this.#overdue.size < mostOverdue) return;
    this.#room ??= Promise.withResolvers();
    await this.#room.promise;
  }

  /** Waits until the handlers that are overdue now have ended or failed. */
  async ended(): Promise<void> {
    await Promise.all(this.#overdue);
  }

  #leave(handled: Promise<void>): void {
    this.#overdue.delete(handled);
    this.#room?.resolve();
    this.#room = undefined;
  }

  #warnSometimes(): void {
    const nowMs = this.#clock.monotonicNow();
    if (nowMs - this.#warnedAtMs < warnAfterMs) return;
    this.#warnedAtMs = nowMs;
    this.#warn(this.#overdue.size, warnAfterMs);
  }
}
