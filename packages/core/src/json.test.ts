import { expect, it } from "vitest";
import { isRecord } from "./json.ts";

it("takes objects for records, and nothing else", () => {
  expect([{}, { a: 1 }].map(isRecord)).toEqual([true, true]);
  expect([null, undefined, [], "a", 1, () => 1].map(isRecord)).toEqual(Array(6).fill(false));
});
