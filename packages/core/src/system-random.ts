import type { Random, RandomBytes } from "./random.ts";

/** The machine's randomness. */
export const systemRandom: Random = { next: () => Math.random() };

/** The machine's randomness for secrets. */
export const systemRandomBytes: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));
