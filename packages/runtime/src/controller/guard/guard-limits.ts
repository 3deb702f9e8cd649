/** When the guard takes writes for a loop, and what it does then. */
export interface GuardLimits {
  /**
   * So many runs of a key within `noopWindowMs` that wrote an object without changing it are a loop. Default 20: a
   * controller that applies what is there already on a dozen events of a rollout wastes some requests, and is left alone.
   */
  readonly noopWrites: number;
  /** Default 10 s. */
  readonly noopWindowMs: number;
  /** So many runs within `selfWokenWindowMs` that changed an object which nobody else wrote. Default 20. */
  readonly selfWokenWrites: number;
  /** Default 10 s. */
  readonly selfWokenWindowMs: number;
  /** So many times within `windowMs` a field was set back to what the key had set it to before. Default 3. */
  readonly flips: number;
  /** Default 60 s. */
  readonly windowMs: number;
  /** How long a key is held when it is found to loop. Default 1 s. */
  readonly holdMs: number;
  /** The hold is doubled when so many runs in a row do the same again, each at the speed of a loop. Default 3. */
  readonly repeats: number;
  /**
   * A held key goes on at the speed of a loop when its run begins within so many holds after the last such run ended:
   * it was the hold that it waited for. Default 1.1. Whoever is slower than that, such as a person or an autoscaler, is
   * not made slower still.
   */
  readonly pace: number;
  /** The longest hold of a key that fights over a field. Default 5 min. */
  readonly maxHoldMs: number;
  /**
   * The longest hold of a key that writes alone, whether it changes something or not. Default 10 s: it disturbs nobody,
   * and one that only follows a busy world looks the same.
   */
  readonly maxLoneHoldMs: number;
  /** How many keys are remembered, of those that write. Default 1000. */
  readonly keys: number;
  /** How many objects of each key. Default 64. */
  readonly targetsPerKey: number;
  /** How many fields of each object. Default 64. */
  readonly fieldsPerTarget: number;
}

export const defaultLimits: GuardLimits = {
  noopWrites: 20,
  noopWindowMs: 10_000,
  selfWokenWrites: 20,
  selfWokenWindowMs: 10_000,
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
