/** Random numbers, passed in from outside, so that a test with the same seed takes the same way twice. */
export interface Random {
  /** At least 0 and less than 1. */
  next(): number;
}

/** As many random bytes, passed in from outside. The machine's are unpredictable, so secrets can be made of them. */
export type RandomBytes = (length: number) => Uint8Array;

/** A random UUID (version 4). It identifies objects and runs; it is not a secret. */
export function randomUuid(random: Random): string {
  const [a, b, c, d] = [word(random), word(random), word(random), word(random)];
  const version = (b & 0xffff0fff) | 0x4000;
  const variant = (c & 0x3fffffff) | 0x80000000;
  return `${hex(a)}-${high(version)}-${low(version)}-${high(variant)}-${low(variant)}${hex(d)}`;
}

const hexOfByte: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0"),
);

function word(random: Random): number {
  return Math.floor(random.next() * 2 ** 32);
}

function hex(bits: number): string {
  return high(bits) + low(bits);
}

function high(bits: number): string {
  return `${hexOfByte[bits >>> 24]}${hexOfByte[(bits >>> 16) & 0xff]}`;
}

function low(bits: number): string {
  return `${hexOfByte[(bits >>> 8) & 0xff]}${hexOfByte[bits & 0xff]}`;
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
