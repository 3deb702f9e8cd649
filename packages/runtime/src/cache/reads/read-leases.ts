import type { CancelTimer, Clock } from "@keelson/core";

/** Something that is held for reads and can be given back. */
export interface ReadLease {
  release(): Promise<void>;
}

interface Held {
  readonly use: ReadLease;
  /** Reads under way. While there is one, nothing is given back: it may be waiting for the first sync. */
  reading: number;
  /** When the last one ended. */
  lastReadMs: number;
  cancel: CancelTimer | undefined;
}

/** Holds the informers that reads have begun, for good or until there was no read for some time. */
export class ReadLeases {
  readonly #clock: Clock;
  readonly #idleMs: number | undefined;
  readonly #held = new Map<string, Held>();

  /** Without `idleMs` nothing is given back. */
  constructor(clock: Clock, idleMs: number | undefined) {
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  /** A read has begun this. Replaces what was held under the same name, which somebody else must have ended. */
  begin(name: string, use: ReadLease): void {
    this.#held.get(name)?.cancel?.();
    const held: Held = { use, reading: 0, lastReadMs: this.#clock.monotonicNow(), cancel: undefined };
    this.#held.set(name, held);
    if (this.#idleMs !== undefined) this.#lookLater(name, held, this.#idleMs);
  }

  /** A read begins; it ends when what this gives is disposed of. Undefined if nothing is held under the name. */
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

  /** A read that began and ended in this moment. Does nothing if nothing is held under the name. */
  touch(name: string): void {
    if (this.#idleMs === undefined) return;
    const held = this.#held.get(name);
    if (held !== undefined) held.lastReadMs = this.#clock.monotonicNow();
  }

  /** Forgets everything without giving it back. */
  clear(): void {
    for (const { cancel } of this.#held.values()) cancel?.();
    this.#held.clear();
  }

  /** One timer each, however many reads: when it fires, it looks how long the last one is ago. */
  #lookLater(name: string, held: Held, idleMs: number): void {
    const nowMs = this.#clock.monotonicNow();
    const idleSinceMs = held.reading > 0 ? nowMs : held.lastReadMs;
    held.cancel = this.#clock.schedule(idleSinceMs + idleMs - nowMs, () => {
      const isUsed = held.reading > 0 || held.lastReadMs + idleMs > this.#clock.monotonicNow();
      if (isUsed) return this.#lookLater(name, held, idleMs);
      this.#held.delete(name);
      // A release does not fail: the cache waits for it when it stops.
      void held.use.release();
    });
  }
}
