/** When the guard takes writes for a loop, and what it does then. */
export interface GuardLimits {
  /** So many runs of a key within `noopWindowMs` that wrote an object without changing it are a loop. Default 5. */
  readonly noopWrites: number;
  /**
   * Default 10 s. A key that is reconciled every few seconds and applies what is there already wastes a request now and
   * then; one that does it without pause is in a loop.
   */
  readonly noopWindowMs: number;
  /** So many times within `windowMs` a field was set back to what the key had set it to before. Default 3. */
  readonly flips: number;
  /** Default 60 s. */
  readonly windowMs: number;
  /** How long a key is held when it is found to loop for the first time; doubled each time after that. Default 1 s. */
  readonly holdMs: number;
  /** Default 5 min. */
  readonly maxHoldMs: number;
  /** How many keys are remembered, of those that write. Default 1000. */
  readonly keys: number;
  /** How many objects of each key. Default 64. */
  readonly targetsPerKey: number;
  /** How many fields of each object. Default 64. */
  readonly fieldsPerTarget: number;
}

export const defaultLimits: GuardLimits = {
  noopWrites: 5,
  noopWindowMs: 10_000,
  flips: 3,
  windowMs: 60_000,
  holdMs: 1000,
  maxHoldMs: 300_000,
  keys: 1000,
  targetsPerKey: 64,
  fieldsPerTarget: 64,
};
