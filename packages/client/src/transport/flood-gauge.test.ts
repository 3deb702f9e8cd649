import { expect, it } from "vitest";
import { FloodGauge } from "./flood-gauge.ts";

it("knows a flood by what comes within 20 ms", () => {
  const gauge = new FloodGauge(1_000);
  gauge.count(1_000_000, 1_019);
  expect(gauge.isFlood).toBe(false);
  gauge.count(1, 1_020);
  expect(gauge.isFlood).toBe(true);
});

it("takes what comes evenly and slowly for no flood, however much it is in the end", () => {
  const gauge = new FloodGauge(0);
  for (let nowMs = 1; nowMs < 1_000; nowMs++) {
    gauge.count(1_700, nowMs);
    expect(gauge.isFlood).toBe(false);
  }
});

it("sees a flood end with the first thing that comes after it", () => {
  const gauge = new FloodGauge(0);
  for (let nowMs = 1; nowMs <= 20; nowMs++) gauge.count(4_000, nowMs);
  expect(gauge.isFlood).toBe(true);
  gauge.count(1_700, 60);
  expect(gauge.isFlood).toBe(false);
});
