/** The levels of tests, each a vitest project of the same name; `npm test` runs them in this order. */
export const levels = ["unit", "embedded", "conformance", "cluster"] as const;

export type Level = (typeof levels)[number];

/** The levels that need the real control plane. */
export const levelsOnRealServer: ReadonlySet<Level> = new Set(["conformance", "cluster"]);

/** A level that was not run, and why. */
export interface LeftOut {
  readonly level: Level;
  readonly reason: string;
}

/** Splits `[LEVEL…] [vitest arguments…]`; without a level all are meant. */
export function splitArguments(args: readonly string[]): {
  chosen: readonly Level[];
  rest: readonly string[];
} {
  const firstOther = args.findIndex((arg) => !isLevel(arg));
  const count = firstOther === -1 ? args.length : firstOther;
  const chosen = args.slice(0, count).filter(isLevel);
  return { chosen: chosen.length === 0 ? levels : chosen, rest: args.slice(count) };
}

function isLevel(word: string): word is Level {
  return levels.some((level) => level === word);
}
