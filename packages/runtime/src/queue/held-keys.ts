/** The part of the hot-loop guard that decides on pauses. */
export interface PausingGuard {
  /** How long a key pauses between two runs; 0 if it is not slowed down. */
  holdMs(keyText: string): number;
  /** A run of the key has ended. A guard without this method uses the time of the last write instead. */
  ended?(keyText: string, nowMs: number): void;
}

/** Keeps the pauses that the hot-loop guard demands between two runs of a key. Other keys cost one lookup at most. */
export class HeldKeys {
  readonly #guard: PausingGuard | undefined;
  /** When the last runs of held keys ended; the one that ended first comes first. */
  readonly #endedAtMs: Map<string, number> = new Map();

  constructor(guard: PausingGuard | undefined) {
    this.#guard = guard;
  }

  /** How many keys are remembered: those that wait, and some whose wait is over. */
  get size(): number {
    return this.#endedAtMs.size;
  }

  /** How long the key still has to wait; 0 if it may run. */
  pauseMs(keyText: string, nowMs: number): number {
    const endedAtMs = this.#endedAtMs.get(keyText);
    if (endedAtMs === undefined) return 0;
    const holdMs = this.#guard?.holdMs(keyText) ?? 0;
    return Math.max(0, endedAtMs + holdMs - nowMs);
  }

  /** A run of the key has ended. */
  ended(keyText: string, nowMs: number): void {
    if (this.#guard === undefined) return;
    this.#guard.ended?.(keyText, nowMs);
    if (this.#endedAtMs.size > 0) {
      this.#endedAtMs.delete(keyText);
      this.#prune(nowMs);
    }
    if (this.#guard.holdMs(keyText) > 0) this.#endedAtMs.set(keyText, nowMs);
  }

  /** Not every key runs again. Stops at the first that waits: so it is cheap, and no wait is without end. */
  #prune(nowMs: number): void {
    for (const keyText of this.#endedAtMs.keys()) {
      if (this.pauseMs(keyText, nowMs) > 0) return;
      this.#endedAtMs.delete(keyText);
    }
  }
}
