import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editsBetween, nearest } from "./nearest.ts";

describe("nearest", () => {
  it("finds what was meant, in whatever case it was written", () => {
    expect(nearest("--metrc-port", ["--health-port", "--metrics-port"])).toBe("--metrics-port");
    expect(nearest("LOGLEVEL", ["logLevel", "logFormat"])).toBe("logLevel");
  });

  it("guesses nothing for a word that is like none", () => {
    expect(nearest("replicas", ["metricsPort", "logLevel"])).toBeUndefined();
    expect(nearest("x", [])).toBeUndefined();
  });

  it("counts edits as a metric does", () => {
    const word = fc.string({ maxLength: 8, unit: fc.constantFrom("a", "b", "c") });
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(editsBetween(a, a)).toBe(0);
        expect(editsBetween(a, b)).toBe(editsBetween(b, a));
        expect(editsBetween(a, c)).toBeLessThanOrEqual(editsBetween(a, b) + editsBetween(b, c));
        expect(editsBetween(a, b) > 0).toBe(a !== b);
      }),
    );
  });
});
