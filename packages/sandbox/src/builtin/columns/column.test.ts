import { describe, expect, it } from "vitest";
import { ageSince, humanDuration } from "./column.ts";

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;

describe("humanDuration", () => {
  it.each([
    [-5 * s, "<invalid>"],
    [-1 * s, "0s"],
    [0, "0s"],
    [119 * s, "119s"],
    [120 * s, "2m"],
    [5 * m + 2 * s, "5m2s"],
    [10 * m + 2 * s, "10m"],
    [179 * m, "179m"],
    [180 * m, "3h"],
    [7 * h + 20 * m, "7h20m"],
    [47 * h, "47h"],
    [48 * h, "2d"],
    [7 * d + 3 * h, "7d3h"],
    [8 * d + 3 * h, "8d"],
    [729 * d, "729d"],
    [730 * d, "2y"],
    [3 * 365 * d + 4 * d, "3y4d"],
    [8 * 365 * d + 4 * d, "8y"],
  ])("prints %d ms as %s", (ms, text) => {
    expect(humanDuration(ms)).toBe(text);
  });
});

describe("ageSince", () => {
  it("knows no age of what has no timestamp", () => {
    expect(ageSince(undefined, 0)).toBe("<unknown>");
  });

  it("measures from the timestamp", () => {
    expect(ageSince("2030-01-01T00:00:00Z", Date.UTC(2030, 0, 1, 0, 0, 42))).toBe("42s");
  });
});
