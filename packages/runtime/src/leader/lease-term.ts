import type { CancelTimer, Clock, ObjectKey } from "@keelson/core";
import type { ElectionRules } from "./election-rules.ts";
import { LeaseNotRenewedError } from "./errors.ts";

/** What a write guard and a health check need to know about a replica's leadership. */
export interface Leadership {
  readonly lease: ObjectKey;
  /** For how long others wait after a renewal. */
  readonly leaseDurationMs: number;
  /** How long ago the lease was last renewed; undefined if this replica does not lead. */
  readonly renewedAgoMs: number | undefined;
  /**
   * True while nobody else can lead: the last renewal is not older than the renew deadline, and nobody else was seen to
   * lead. Looks at the clock each time it is asked.
   */
  readonly isCertain: boolean;
  /**
   * Calls back once, as soon as `isCertain` is false, by a timer: after a pause that may be later than other things.
   * Without it a guard looks only before a write.
   */
  whenUncertain?(callback: () => void): CancelTimer;
}

export interface LeaseTermOptions {
  readonly rules: ElectionRules;
  readonly clock: Clock;
  /** That of another term: what one thread notes there the other knows at once. Default: a new one. */
  readonly memory?: SharedArrayBuffer;
}

const notHeld = -1n;
const renewedAt = 0;
const isLost = 1;

/**
 * For how long this replica may act as a leader. The moment of the last renewal lies in memory that threads share: so
 * the answer needs no message, for which a thread that was blocked or stopped would have to wait its turn.
 */
export class LeaseTerm implements Leadership {
  readonly lease: ObjectKey;
  readonly leaseDurationMs: number;
  /** Two numbers: the monotonic time of the last renewal in microseconds, or `notHeld`; and 1 once it is lost. */
  readonly memory: SharedArrayBuffer;
  readonly #cells: BigInt64Array;
  readonly #renewDeadlineMs: number;
  readonly #clock: Clock;
  readonly #looks = new Set<() => void>();

  constructor({ rules, clock, memory }: LeaseTermOptions) {
    this.lease = rules.lease;
    this.leaseDurationMs = rules.leaseDurationMs;
    this.memory = memory ?? new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT);
    this.#cells = new BigInt64Array(this.memory);
    this.#renewDeadlineMs = rules.renewDeadlineMs;
    this.#clock = clock;
    if (memory === undefined) this.end();
  }

  /** The lease was renewed by a request that was sent at `sentMs`. Until it came no other replica's timer started. */
  renew(sentMs: number): void {
    Atomics.store(this.#cells, renewedAt, BigInt(Math.floor(sentMs * 1000)));
  }

  /** Another replica may lead. The last renewal stays known: who has lost its lease and goes on is not healthy. */
  lose(): void {
    Atomics.store(this.#cells, isLost, 1n);
    this.#lookNow();
  }

  /** This replica gives its lease up, or never had it. */
  end(): void {
    Atomics.store(this.#cells, renewedAt, notHeld);
    this.#lookNow();
  }

  get renewedAtMs(): number | undefined {
    const micros = Atomics.load(this.#cells, renewedAt);
    return micros === notHeld ? undefined : Number(micros) / 1000;
  }

  get renewedAgoMs(): number | undefined {
    const { renewedAtMs } = this;
    return renewedAtMs === undefined ? undefined : this.#clock.monotonicNow() - renewedAtMs;
  }

  get isCertain(): boolean {
    const { renewedAgoMs } = this;
    const isFresh = renewedAgoMs !== undefined && renewedAgoMs <= this.#renewDeadlineMs;
    return isFresh && Atomics.load(this.#cells, isLost) === 0n;
  }

  /** What another thread notes about a loss is seen when the last renewal that was known is too old. */
  whenUncertain(callback: () => void): CancelTimer {
    let cancelTimer: CancelTimer = () => undefined;
    const cancel = (): void => {
      cancelTimer();
      this.#looks.delete(look);
    };
    const look = (): void => {
      cancelTimer();
      if (this.isCertain) {
        // A renewal that is as old as the deadline still counts; a moment later it does not.
        const remainingMs = this.#renewDeadlineMs - (this.renewedAgoMs ?? 0);
        cancelTimer = this.#clock.schedule(Math.max(1, remainingMs), look);
        return;
      }
      cancel();
      callback();
    };
    this.#looks.add(look);
    look();
    return cancel;
  }

  #lookNow(): void {
    for (const look of [...this.#looks]) look();
  }
}

export interface LeaseHealthOptions {
  /** For how long after its lease has run out a leader may take to end. Default 20 s. */
  readonly toleranceMs?: number;
}

/**
 * A health check [LE10]: throws a LeaseNotRenewedError if this replica leads and should long have ended, since its last
 * renewal is older than the lease and the tolerance. A replica that does not lead is healthy.
 */
export function leaseHealthCheck(
  leadership: Leadership,
  { toleranceMs = 20_000 }: LeaseHealthOptions = {},
): () => void {
  return () => {
    const { lease, leaseDurationMs, renewedAgoMs } = leadership;
    if (renewedAgoMs !== undefined && renewedAgoMs > leaseDurationMs + toleranceMs)
      throw new LeaseNotRenewedError(lease, renewedAgoMs);
  };
}
