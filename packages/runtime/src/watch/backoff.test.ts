import { type Random, seededRandom } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { afterFailure, type Backoff, freshBackoff } from "./backoff.ts";

const lowest: Random = { next: () => 0 };
const highest: Random = { next: () => 1 - 2 ** -32 };

/** The waits after failures at the given times. */
function delays(random: Random, times: readonly number[]): readonly number[] {
  let backoff: Backoff = freshBackoff;
  return times.map((nowMs) => {
    const next = afterFailure(backoff, { nowMs, random });
    backoff = next.backoff;
    return next.delayMs;
  });
}

describe("the back-off of a reflector", () => {
  it("[RF13] doubles from 800 ms to 30 s", () => {
    expect(
      delays(
        lowest,
        Array.from({ length: 8 }, () => 0),
      ),
    ).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
  });

  it("[RF13] adds up to the same again at random", () => {
    const [first = 0, second = 0] = delays(highest, [0, 0]);
    expect(first).toBeGreaterThan(1599);
    expect(first).toBeLessThan(1600);
    expect(second).toBeGreaterThan(3199);
    const spread = delays(
      seededRandom(7),
      Array.from({ length: 100 }, (_, index) => index * 1e9),
    );
    expect(new Set(spread).size).toBe(100);
    expect(Math.min(...spread)).toBeGreaterThanOrEqual(800);
    expect(Math.max(...spread)).toBeLessThan(1600);
  });

  it("[RF13] begins again after two minutes without a failure, and not before", () => {
    expect(delays(lowest, [0, 119_999, 239_998, 359_998])).toEqual([800, 1600, 3200, 800]);
  });
});
