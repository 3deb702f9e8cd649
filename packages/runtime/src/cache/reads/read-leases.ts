import type { CancelTimer, Clock } from "@keelson/core";

/** A lease of the informers that serve the reads of a kind. */
export interface ReadLease {
  release(): Promise<void>;
}

interface Held {
  readonly use: ReadLease;
  /** The number of open reads. While there is one, the lease is kept: the read may wait for the first sync. */
  reading: number;
  /** When the last one ended. */
  lastReadMs: number;
  cancel: CancelTimer | undefined;
}

/** Holds the leases of informers that reads have started, for good or until there was no read for some time. */
export class ReadLeases {
  readonly #clock: Clock;
  readonly #idleMs: number | undefined;
  readonly #held = new Map<string, Held>();

  /** Without `idleMs` no lease is released. */
  constructor(clock: Clock, idleMs: number | undefined) {
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  /** Holds a lease that a read has acquired. Replaces one of the same name, whose informer has ended. */
  begin(name: string, use: ReadLease): void {
    this.#held.get(name)?.cancel?.();
    const held: Held = { use, reading: 0, lastReadMs: this.#clock.monotonicNow(), cancel: undefined };
    this.#held.set(name, held);
    if (this.#idleMs !== undefined) this.#checkLater(name, held, this.#idleMs);
  }

  /** Marks the begin of a read, which ends on dispose. Undefined if no lease is held under the name. */
  read(name: string): Disposable | undefined {
    const held = this.#held.get(name);
    if (held === undefined) return undefined;
    held.reading += 1;
    return {
      [Symbol.dispose]: () => {
        held.reading -= 1;
        held.lastReadMs = this.#clock.monotonicNow();
      },
    };
  }

  /** Marks a read that begins and ends at once. Does nothing if no lease is held under the name. */
  touch(name: string): void {
    if (this.#idleMs === undefined) return;
    const held = this.#held.get(name);
    if (held !== undefined) held.lastReadMs = this.#clock.monotonicNow();
  }

  /** Forgets all leases without releasing them. */
  clear(): void {
    for (const { cancel } of this.#held.values()) cancel?.();
    this.#held.clear();
  }

  /** One timer per lease, however many reads: when it fires, it checks how long ago the last read was. */
  #checkLater(name: string, held: Held, idleMs: number): void {
    const nowMs = this.#clock.monotonicNow();
    const idleSinceMs = held.reading > 0 ? nowMs : held.lastReadMs;
    held.cancel = this.#clock.schedule(idleSinceMs + idleMs - nowMs, () => {
      const isUsed = held.reading > 0 || held.lastReadMs + idleMs > this.#clock.monotonicNow();
      if (isUsed) return this.#checkLater(name, held, idleMs);
      this.#held.delete(name);
      // A release does not fail: the cache waits for it when it stops.
      void held.use.release();
    });
  }
}
