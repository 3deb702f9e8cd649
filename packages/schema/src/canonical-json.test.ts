import { expect, it } from "vitest";
import { compareText, sortFields } from "./canonical-json.ts";

it("sorts the fields of objects all the way down, leaves lists alone, and drops what is undefined", () => {
  const value = { b: [{ d: 1, c: 2 }, "z", "a"], a: undefined, A: null };
  expect(JSON.stringify(sortFields(value))).toBe('{"A":null,"b":[{"c":2,"d":1},"z","a"]}');
});

it("orders text by code units", () => {
  expect(["ä", "b", "B", "a", "a"].sort(compareText)).toEqual(["B", "a", "a", "b", "ä"]);
});
