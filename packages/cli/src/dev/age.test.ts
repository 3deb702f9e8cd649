import { expect, it } from "vitest";
import { formatAge, formatTook } from "./age.ts";

it.each([
  [-5_000, "0s"],
  [999, "0s"],
  [119_000, "119s"],
  [120_000, "2m"],
  [7_199_000, "119m"],
  [7_200_000, "2h"],
  [172_799_000, "47h"],
  [172_800_000, "2d"],
])("tells %d ms as %s", (ms, age) => {
  expect(formatAge(ms)).toBe(age);
});

it("tells how long something took by tenths of seconds", () => {
  expect(formatTook(3_449)).toBe("3.4 s");
});
