import { expect, it } from "vitest";
import { formatDuration, parseDuration } from "./duration.ts";

it.each([
  ["5s", 5000],
  ["200ms", 200],
  ["1m30s", 90_000],
  ["1.5s", 1500],
  ["1h", 3_600_000],
  ["0s", 0],
  ["0", 0],
  ["", undefined],
  ["5", undefined],
  ["s", undefined],
  ["5s ", undefined],
  ["-5s", undefined],
  ["5 s", undefined],
  ["5d", undefined],
])("reads %j as %j ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each([
  [250, "250ms"],
  [10_000, "10s"],
  [150_000, "2m30s"],
  [300_000, "5m0s"],
])("writes %j ms as %j", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
