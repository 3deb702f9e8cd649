import type { CancelTimer, Clock } from "@keelson/core";

/** Something that is held for reads and can be given back. */
export interface ReadUse {
  release(): Promise<void>;
}

interface Held {
  readonly use: ReadUse;
  lastReadMs: number;
  cancel: CancelTimer | undefined;
}

/** Holds the informers that reads have begun, for good or until there was no read for some time. */
export class ReadUses {
  readonly #clock: Clock;
  readonly #idleMs: number | undefined;
  readonly #held = new Map<string, Held>();

  /** Without `idleMs` nothing is given back. */
  constructor(clock: Clock, idleMs: number | undefined) {
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  /** A read has begun this. Replaces what was held under the same name, which somebody else must have ended. */
  begin(name: string, use: ReadUse): void {
    this.#held.get(name)?.cancel?.();
    const held: Held = { use, lastReadMs: this.#clock.monotonicNow(), cancel: undefined };
    this.#held.set(name, held);
    if (this.#idleMs !== undefined) this.#lookLater(name, held, this.#idleMs);
  }

  /** There was a read. */
  touch(name: string): void {
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
    const dueMs = held.lastReadMs + idleMs;
    held.cancel = this.#clock.schedule(dueMs - this.#clock.monotonicNow(), () => {
      if (held.lastReadMs + idleMs > this.#clock.monotonicNow()) return this.#lookLater(name, held, idleMs);
      this.#held.delete(name);
      // A release does not fail: the cache waits for it when it stops.
      void held.use.release();
    });
  }
}
