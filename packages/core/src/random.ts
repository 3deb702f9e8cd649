/** Random numbers, passed in from outside, so that a test with the same seed takes the same way twice. */
export interface Random {
  /** At least 0 and less than 1. */
  next(): number;
}

/** The same sequence for the same seed. For jitter and simulation, not for secrets. (The algorithm is mulberry32.) */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}
