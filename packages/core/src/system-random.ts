import type { Random } from "./random.ts";

/** The machine's randomness. */
export const systemRandom: Random = { next: () => Math.random() };
