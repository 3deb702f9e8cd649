import { describe, expect, it } from "vitest";
import { formatSeconds, secondsOf } from "./duration.ts";

describe("a duration", () => {
  it.each([
    ["90s", 90],
    ["1h30m", 5400],
    ["1.5h", 5400],
    ["1500ms", 1.5],
    ["0", 0],
  ])("%s has %d seconds", (text, seconds) => {
    expect(secondsOf(text)).toBeCloseTo(seconds, 9);
  });

  it.each([
    [0, "0s"],
    [59, "59s"],
    [60, "1m0s"],
    [3605, "1h0m5s"],
  ])("of %d seconds is written as Go does, and read again", (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text);
    expect(secondsOf(text)).toBe(seconds);
  });
});
