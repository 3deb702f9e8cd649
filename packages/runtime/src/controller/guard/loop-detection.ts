/** When the guard takes writes for a hot loop, and how long it holds the key then. */
export interface GuardLimits {
  /**
   * How many runs of a key that wrote an object without changing it, within `noopWindowMs`, are a loop. Default 20: a
   * controller that repeats an apply on a dozen events of a rollout wastes some requests, and is left alone.
   */
  readonly noopWrites: number;
  /** Default 10 s. */
  readonly noopWindowMs: number;
  /**
   * How many runs of a key that changed an object of which no other writer is known, within `selfWokenWindowMs`, are a loop.
   * Default 20.
   */
  readonly selfWokenWrites: number;
  /** Default 10 s. */
  readonly selfWokenWindowMs: number;
  /**
   * How many runs of a key that created an object again after its deletion, or deleted one that was created again, within
   * `windowMs`, are a loop. Default 10.
   */
  readonly replacements: number;
  /** How many times, within `windowMs`, a key sets a field back to the value that it had set before. Default 3. */
  readonly flips: number;
  /** Default 60 s. */
  readonly windowMs: number;
  /** How long a key is held when a loop is detected. Default 1 s. */
  readonly holdMs: number;
  /** The hold is doubled after this many further runs in a row, each at the pace of a loop. Default 3. */
  readonly repeats: number;
  /**
   * A held key runs at the pace of a loop when its run begins within `pace` times the hold after the last such run ended:
   * then only the hold delayed it. Default 1.1. A slower writer, such as a user or an autoscaler, is not slowed further.
   */
  readonly pace: number;
  /** The longest hold of a key that competes with another writer for a field. Default 5 min. */
  readonly maxHoldMs: number;
  /**
   * The longest hold of a key without another writer, whether its writes change something or not, and of one that creates
   * what is deleted. Default 10 s: the former disturbs no other writer, and a key that only follows a busy cluster looks the
   * same; for the latter the object is missing meanwhile.
   */
  readonly maxLoneHoldMs: number;
  /** How many keys are remembered, of those that write. Default 1000. */
  readonly keys: number;
  /** How many written objects are remembered for each key. Default 64. */
  readonly targetsPerKey: number;
  /** How many written fields are remembered for each object. Default 64. */
  readonly fieldsPerTarget: number;
}

export const defaultLimits: GuardLimits = {
  noopWrites: 20,
  noopWindowMs: 10_000,
  selfWokenWrites: 20,
  selfWokenWindowMs: 10_000,
  replacements: 10,
  flips: 3,
  windowMs: 60_000,
  holdMs: 1000,
  repeats: 3,
  pace: 1.1,
  maxHoldMs: 300_000,
  maxLoneHoldMs: 10_000,
  keys: 1000,
  targetsPerKey: 64,
  fieldsPerTarget: 64,
};

/** When a run began and ended. Its identity stands for the run. */
export interface RunTimes {
  readonly beganAtMs: number;
  /** When the run ended; until that is known, when it last wrote. */
  endedAtMs: number;
}

/** Whether a run began at most `longestGapMs` after an earlier one ended. */
export function isAtPace(run: RunTimes, earlier: RunTimes | undefined, longestGapMs: number): boolean {
  return earlier !== undefined && run.beganAtMs - earlier.endedAtMs <= longestGapMs;
}

export interface LoopCounterLimits {
  /** How many runs within `windowMs` are a loop. */
  readonly runs: number;
  readonly windowMs: number;
  /** How many runs in a row at the pace of the hold make the hold longer. */
  readonly repeats: number;
  readonly pace: number;
}

/**
 * What a run means in a series of runs that all did the same:
 *
 * - `none`: it is not known to be part of a loop;
 * - `begins`: with this run the series is a loop;
 * - `continues`: the key is held, and runs as fast as the hold allows;
 * - `persists`: it has continued so many times that the hold becomes longer.
 */
export type LoopSign = "none" | "begins" | "continues" | "persists";

/** Counts runs that did the same, each run once. */
export class LoopCounter {
  readonly #limits: LoopCounterLimits;
  /** While the key is not held: when the counted runs were. */
  #times: number[] = [];
  /** While it is held: how many runs in a row were at its pace. */
  #repeats = 0;
  #lastRun: RunTimes | undefined;

  constructor(limits: LoopCounterLimits) {
    this.#limits = limits;
  }

  /** Counts a run of a key that is held for `holdMs` because of this loop, or not held if that is 0. */
  note(run: RunTimes, now: number, holdMs: number): LoopSign {
    const last = this.#lastRun;
    if (run === last) return "none";
    this.#lastRun = run;
    return holdMs === 0
      ? this.#noteFree(now)
      : this.#noteHeld(isAtPace(run, last, this.#limits.pace * holdMs));
  }

  /** Starts a new series. */
  reset(): void {
    this.#times = [];
    this.#repeats = 0;
    this.#lastRun = undefined;
  }

  #noteFree(now: number): LoopSign {
    const { runs, windowMs } = this.#limits;
    this.#repeats = 0;
    this.#times = [...this.#times.filter((time) => now - time < windowMs), now];
    if (this.#times.length < runs) return "none";
    this.#times = [];
    return "begins";
  }

  #noteHeld(isPaced: boolean): LoopSign {
    this.#repeats = isPaced ? this.#repeats + 1 : 0;
    if (this.#repeats < this.#limits.repeats) return isPaced ? "continues" : "none";
    this.#repeats = 0;
    return "persists";
  }
}

export interface KeyHoldLimits {
  /** The length of the first hold. */
  readonly holdMs: number;
  readonly maxHoldMs: number;
  /** The time in which a loop of this kind is detected. */
  readonly windowMs: number;
}

/**
 * How long a key is held between its runs because of one kind of loop:
 *
 * | state | leaves it |
 * |---|---|
 * | free: not held | a loop begins: held for `holdMs` |
 * | held | the loop persists: held twice as long, up to `maxHoldMs`; no sign of the loop for long enough: free |
 *
 * Long enough are two windows, or two holds where these are longer: a loop that runs every five minutes cannot be seen
 * more often. From free to free is one episode.
 */
export class KeyHold {
  readonly #limits: KeyHoldLimits;
  #holdMs = 0;
  #seenAt = 0;

  constructor(limits: KeyHoldLimits) {
    this.#limits = limits;
  }

  /** The hold at a time; 0 if the key is free. */
  at(now: number): number {
    const isOver = now - this.#seenAt > 2 * Math.max(this.#limits.windowMs, this.#holdMs);
    return isOver ? 0 : this.#holdMs;
  }

  /** Holds a key in which a loop begins. A key that is held already is not held longer. */
  begin(now: number): void {
    this.#set(this.at(now) || this.#limits.holdMs, now);
  }

  /** Keeps the hold of a loop that continues. */
  keep(now: number): void {
    this.#set(this.at(now), now);
  }

  /** Doubles the hold of a loop that persists. */
  extend(now: number): void {
    const { holdMs, maxHoldMs } = this.#limits;
    this.#set(Math.min(2 * this.at(now) || holdMs, maxHoldMs), now);
  }

  #set(holdMs: number, now: number): void {
    this.#holdMs = holdMs;
    this.#seenAt = now;
  }
}
