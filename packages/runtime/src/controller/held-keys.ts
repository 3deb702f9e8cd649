import type { HotLoopGuard } from "./guard/hot-loop-guard.ts";

/** Keeps the pauses that the hot-loop guard asks for between two runs of a key. Other keys cost a look at most. */
export class HeldKeys {
  readonly #guard: Pick<HotLoopGuard, "holdMs"> | undefined;
  /** When the last runs ended of the keys that were held then. */
  readonly #endedAtMs: Map<string, number> = new Map();

  constructor(guard: Pick<HotLoopGuard, "holdMs"> | undefined) {
    this.#guard = guard;
  }

  /** How long the key has yet to wait; 0 if it may run. */
  pauseMs(keyText: string, nowMs: number): number {
    if (this.#endedAtMs.size === 0) return 0;
    const endedAtMs = this.#endedAtMs.get(keyText);
    if (endedAtMs === undefined) return 0;
    const holdMs = this.#guard?.holdMs(keyText) ?? 0;
    return Math.max(0, endedAtMs + holdMs - nowMs);
  }

  /** A run of the key has ended. */
  ended(keyText: string, nowMs: number): void {
    if (this.#guard !== undefined && this.#guard.holdMs(keyText) > 0) this.#endedAtMs.set(keyText, nowMs);
    else if (this.#endedAtMs.size > 0) this.#endedAtMs.delete(keyText);
  }
}
