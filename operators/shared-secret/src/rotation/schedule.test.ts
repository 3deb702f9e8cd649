import { describe, expect, it } from "vitest";
import { nextRotationMs, retryDelayMs } from "./schedule.ts";

describe("the next rotation", () => {
  const lastMs = Date.UTC(2026, 0, 1);
  const rotateSeconds = 3600;
  const times = Array.from({ length: 1000 }, (_, index) =>
    nextRotationMs({ lastMs, rotateSeconds, uid: `uid-${index}` }),
  );

  it("is due after nine to ten tenths of the period", () => {
    for (const time of times) {
      expect(time).toBeGreaterThanOrEqual(lastMs + 3_240_000);
      expect(time).toBeLessThanOrEqual(lastMs + 3_600_000);
    }
  });

  it("is due at other times for other SharedSecrets, spread over the last tenth", () => {
    const inEachMinute = Array.from(
      { length: 6 },
      (_, minute) =>
        times.filter((time) => Math.floor((time - lastMs - 3_240_000) / 60_000) === minute).length,
    );
    expect(Math.min(...inEachMinute)).toBeGreaterThan(100);
  });

  it("is due at another part of the period each time", () => {
    const uid = "uid";
    const parts = [1, 2, 3].map(
      (day) => nextRotationMs({ lastMs: day * 86_400_000, rotateSeconds, uid }) % 86_400_000,
    );
    expect(new Set(parts).size).toBe(3);
  });

  it("is due at the same time for every rotator, also of another version", () => {
    expect(nextRotationMs({ lastMs, rotateSeconds, uid: "28a7" }) - lastMs).toBe(3_545_902);
  });
});

it("waits longer after each failure, from 1 s to 5 min", () => {
  expect([0, 1, 2, 3, 4, 9, 10, 2000].map(retryDelayMs)).toEqual([
    ...[1_000, 1_000, 2_000, 4_000, 8_000, 256_000, 300_000, 300_000],
  ]);
});
