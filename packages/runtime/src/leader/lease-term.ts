import type { CancelTimer, Clock, ObjectKey } from "@keelson/core";
import type { ElectionRules } from "./election-rules.ts";
import { LeaseNotRenewedError } from "./errors.ts";

/** The leadership of this replica, as write guards and health checks read it. */
export interface Leadership {
  readonly lease: ObjectKey;
  /** How long other replicas wait after a renewal. */
  readonly leaseDurationMs: number;
  /** How long ago the lease was last renewed; undefined if this replica does not lead. */
  readonly renewedAgoMs: number | undefined;
  /**
   * True while no other replica can lead: the last renewal is not older than the renew deadline, and no other replica was
   * seen to lead. Reads the clock at each access.
   */
  readonly isCertain: boolean;
  /**
   * Calls back once, as soon as `isCertain` is false. It uses a timer, which may fire late after a pause of the process.
   * Without this method a guard checks only before a write.
   */
  whenUncertain?(callback: () => void): CancelTimer;
}

export interface LeaseTermOptions {
  readonly rules: ElectionRules;
  readonly clock: Clock;
  /** The memory of another term, so that two threads share their state. Default: a new one. */
  readonly memory?: SharedArrayBuffer;
}

const notHeld = -1n;
const renewedAt = 0;
const isLost = 1;

/**
 * How long this replica may act as the leader. The time of the last renewal is in memory that threads share, so that a
 * thread that was blocked knows it without waiting for a message.
 */
export class LeaseTerm implements Leadership {
  readonly lease: ObjectKey;
  readonly leaseDurationMs: number;
  /** Two numbers: the monotonic time of the last renewal in microseconds, or `notHeld`; and 1 once it is lost. */
  readonly memory: SharedArrayBuffer;
  readonly #cells: BigInt64Array;
  readonly #renewDeadlineMs: number;
  readonly #clock: Clock;
  readonly #checks = new Set<() => void>();

  constructor({ rules, clock, memory }: LeaseTermOptions) {
    this.lease = rules.lease;
    this.leaseDurationMs = rules.leaseDurationMs;
    this.memory = memory ?? new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT);
    this.#cells = new BigInt64Array(this.memory);
    this.#renewDeadlineMs = rules.renewDeadlineMs;
    this.#clock = clock;
    if (memory === undefined) this.end();
  }

  /** Records a renewal by a request that was sent at `sentMs`; no other replica's timer can have started before that. */
  renew(sentMs: number): void {
    Atomics.store(this.#cells, renewedAt, BigInt(Math.floor(sentMs * 1000)));
  }

  /** Another replica may lead. The last renewal stays known: a process that has lost its Lease and still runs is not healthy. */
  lose(): void {
    Atomics.store(this.#cells, isLost, 1n);
    this.#checkNow();
  }

  /** This replica releases the Lease, or never held it. */
  end(): void {
    Atomics.store(this.#cells, renewedAt, notHeld);
    this.#checkNow();
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

  /** A loss that another thread records is seen when the last known renewal is too old. */
  whenUncertain(callback: () => void): CancelTimer {
    let cancelTimer: CancelTimer = () => undefined;
    const cancel = (): void => {
      cancelTimer();
      this.#checks.delete(check);
    };
    const check = (): void => {
      cancelTimer();
      if (this.isCertain) {
        // A renewal that is as old as the deadline still counts; a moment later it does not.
        const remainingMs = this.#renewDeadlineMs - (this.renewedAgoMs ?? 0);
        cancelTimer = this.#clock.schedule(Math.max(1, remainingMs), check);
        return;
      }
      cancel();
      callback();
    };
    this.#checks.add(check);
    check();
    return cancel;
  }

  #checkNow(): void {
    for (const check of [...this.#checks]) check();
  }
}

export interface LeaseHealthOptions {
  /** How long a leader may take to stop after its Lease has expired. Default 20 s. */
  readonly toleranceMs?: number;
}

/**
 * A health check [LE10]: throws a LeaseNotRenewedError if this replica leads and its last renewal is older than the lease
 * duration and the tolerance together. A replica that does not lead is healthy.
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
