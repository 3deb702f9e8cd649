import { expect, it } from "vitest";
import { formatJson } from "./json-text.ts";
import { compareText, sortFields } from "./sort-fields.ts";

it("sorts the fields of objects all the way down, leaves lists alone, and drops what is undefined", () => {
  const value = { b: [{ d: 1, c: 2 }, "z", "a"], a: undefined, A: null };
  expect(JSON.stringify(sortFields(value))).toBe('{"A":null,"b":[{"c":2,"d":1},"z","a"]}');
});

it("sorts what is nested deeper than the stack, and leaves a time alone", () => {
  const deep = (inner: string): unknown =>
    JSON.parse(`${'{"b":1,"a":'.repeat(9_000)}${inner}${"}".repeat(9_000)}`);
  expect(formatJson(sortFields(deep("1"))).startsWith('{"a":{"a":{')).toBe(true);
  const time = new Date(0);
  expect(sortFields({ time }).time).toBe(time);
});

it("orders text by code units", () => {
  expect(["ä", "b", "B", "a", "a"].sort(compareText)).toEqual(["B", "a", "a", "b", "ä"]);
});
