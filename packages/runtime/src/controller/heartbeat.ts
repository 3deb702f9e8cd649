import type { CancelTimer, Clock } from "@keelson/core";

/** So often the event loop is listened to while something runs. */
export const heartbeatMs = 10;
/** More than so much later than it was due, a beat shows that the event loop was blocked [CT19]. */
export const blockedMs = 50;

/** So many are named of those who may have blocked the event loop. */
const mostSuspects = 5;

/** Something that runs, and may block the event loop. */
export interface Heard {
  readonly keyText: string;
  /** For how long it can have kept the event loop to itself, since it was last asked. */
  takeWorkMs(nowMs: number): number;
}

/** What the heartbeat asks and tells. */
export interface HeartbeatOptions {
  readonly clock: Clock;
  /** What runs now. */
  readonly running: () => Iterable<Heard>;
  /** A beat came late: by how much, and what may have held it up, of which there is at least one. */
  readonly onBlocked: (ms: number, suspects: readonly string[]) => void;
}

/**
 * A timer that beats while reconciles run, and so shows two things. A beat that comes late shows that the event loop was
 * blocked; by whom is known only so far that what waited for the API server meanwhile did not do it. And while one is overdue, whoever is about to begin more work lets it come first: work that is always at hand
 * would otherwise keep timers and sockets waiting for ever.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #runningCount = 0;
  /** What ended while a beat was overdue: that may be what held it up. */
  readonly #endedLate: string[] = [];
  readonly #waiting: (() => void)[] = [];
  /** Set while a beat is due; at rest there is none. */
  #cancel: CancelTimer | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  /** Up to then the event loop was blocked by something that has been reported. */
  #excusedUntilMs = 0;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  begin(nowMs: number): void {
    this.#runningCount++;
    if (this.#cancel === undefined) this.#schedule(nowMs);
  }

  end(ended: Heard, nowMs: number): void {
    this.#runningCount--;
    if (nowMs <= this.#dueMs + blockedMs || this.#endedLate.length >= mostSuspects) return;
    if (ended.takeWorkMs(nowMs) > blockedMs) this.#endedLate.push(ended.keyText);
  }

  isOverdue(nowMs: number): boolean {
    return nowMs >= this.#dueMs;
  }

  /** Resolves after the beat that is due; only to be called while one is. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Says that the event loop was blocked until now by something that has been reported already. */
  excuse(nowMs: number): void {
    this.#excusedUntilMs = nowMs;
  }

  /** Takes the timer back and lets those go who wait. */
  stop(): void {
    this.#cancel?.();
    this.#rest();
    this.#release();
  }

  #schedule(nowMs: number): void {
    this.#dueMs = nowMs + heartbeatMs;
    this.#cancel = this.#options.clock.schedule(heartbeatMs, () => this.#beat());
  }

  #rest(): void {
    this.#cancel = undefined;
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  #beat(): void {
    const { clock, running, onBlocked } = this.#options;
    const nowMs = clock.monotonicNow();
    const lateMs = nowMs - Math.max(this.#dueMs, this.#excusedUntilMs);
    this.#rest();
    const busy = [...running()].filter((each) => each.takeWorkMs(nowMs) > blockedMs);
    const suspects = [...this.#endedLate, ...busy.map(({ keyText }) => keyText)].slice(0, mostSuspects);
    // If nothing ran, it was something else in the process, or the machine has no time for it.
    if (lateMs > blockedMs && suspects.length > 0) onBlocked(lateMs, suspects);
    this.#endedLate.length = 0;
    if (this.#runningCount > 0) this.#schedule(nowMs);
    this.#release();
  }

  #release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
