import { expect, it } from "vitest";
import { formatDuration } from "./duration.ts";

it("names a duration in the unit that suits it", () => {
  const durations = [
    0, 0.04, 0.23, 9.96, 14.4, 999, 1000, 1540, 30_000, 119_000, 120_000, 330_000, 3_600_000,
  ];
  expect(durations.map(formatDuration)).toEqual([
    "0 ms",
    "0 ms",
    "0.2 ms",
    "10 ms",
    "14 ms",
    "999 ms",
    "1 s",
    "1.5 s",
    "30 s",
    "119 s",
    "2 min",
    "5.5 min",
    "60 min",
  ]);
});
