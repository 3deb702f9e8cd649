import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDurationMs, parseDuration, parseDurationMs } from "./duration.ts";

describe("a duration as Go writes it", () => {
  it.each([
    ["5s", 5_000],
    ["200ms", 200],
    ["1m30s", 90_000],
    ["1.5h", 5_400_000],
    [".5s", 500],
    ["1.s", 1_000],
    ["-1.5s", -1_500],
    ["+2m", 120_000],
    ["0", 0],
    ["0s", 0],
    ["250us", 0.25],
    ["250µs", 0.25],
    ["250μs", 0.25],
  ])("is read: %s", (text, ms) => {
    expect(parseDurationMs(text)).toBe(ms);
  });

  it("is read to the nanosecond", () => {
    expect(parseDuration("2562047h47m16.854775807s")).toBe(9_223_372_036_854_775_807n);
    expect(parseDuration("0.123456789s1ns")).toBe(123_456_790n);
  });

  it.each(["", "5", "s", "5s ", " 5s", "5 s", "5d", "--5s", ".s", "1.2.3s", "constructor", "1e3s"])(
    "is not one: %j",
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  it.each([
    [0, "0s"],
    [250, "250ms"],
    [10_000, "10s"],
    [90_500, "1m30.5s"],
    [300_000, "5m0s"],
    [3_605_000, "1h0m5s"],
  ])("is written: %d ms", (ms, text) => {
    expect(formatDurationMs(ms)).toBe(text);
  });

  it("is read as it was written", () => {
    fc.assert(
      fc.property(fc.nat(), (ms) => {
        expect(parseDurationMs(formatDurationMs(ms))).toBe(ms);
      }),
    );
  });
});
