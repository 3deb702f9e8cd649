import { isAtPace, type RunTimes } from "./run-times.ts";

export interface LoopCounterLimits {
  /** So many runs within `windowMs` are a loop. */
  readonly runs: number;
  readonly windowMs: number;
  /** So many runs in a row at the pace of the hold make it longer. */
  readonly repeats: number;
  readonly pace: number;
}

/**
 * What a run is in a row of runs that all did the same:
 *
 * - `calm`: the loop, if it is one, is not known to go on;
 * - `begins`: with this one it is a loop;
 * - `goesOn`: the key is held, and runs as fast as it may;
 * - `persists`: that for the last of so many times that it should be held for longer.
 */
export type LoopSign = "calm" | "begins" | "goesOn" | "persists";

/** Counts runs that did the same, each once. */
export class LoopCounter {
  readonly #limits: LoopCounterLimits;
  /** While the key is free: when runs did it. */
  #times: number[] = [];
  /** While it is held: how many did it in a row at its pace. */
  #repeats = 0;
  #lastRun: RunTimes | undefined;

  constructor(limits: LoopCounterLimits) {
    this.#limits = limits;
  }

  /** A run did it, of a key that is held for so long because of that: 0 if it is free. */
  note(run: RunTimes, now: number, holdMs: number): LoopSign {
    const last = this.#lastRun;
    if (run === last) return "calm";
    this.#lastRun = run;
    return holdMs === 0
      ? this.#noteFree(now)
      : this.#noteHeld(isAtPace(run, last, this.#limits.pace * holdMs));
  }

  /** The row is broken. */
  reset(): void {
    this.#times = [];
    this.#repeats = 0;
    this.#lastRun = undefined;
  }

  #noteFree(now: number): LoopSign {
    const { runs, windowMs } = this.#limits;
    this.#repeats = 0;
    this.#times = [...this.#times.filter((time) => now - time < windowMs), now];
    if (this.#times.length < runs) return "calm";
    this.#times = [];
    return "begins";
  }

  #noteHeld(isPaced: boolean): LoopSign {
    this.#repeats = isPaced ? this.#repeats + 1 : 0;
    if (this.#repeats < this.#limits.repeats) return isPaced ? "goesOn" : "calm";
    this.#repeats = 0;
    return "persists";
  }
}
