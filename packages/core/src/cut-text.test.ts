import { expect, it } from "vitest";
import { cutText } from "./cut-text.ts";

it.each([
  ["", 10, ""],
  ["0123456789", 10, "0123456789"],
  ["0123456789a", 10, "0123456…"],
  ["äöüßä", 10, "äöüßä"],
  ["äöüßäö", 10, "äöü…"],
  ["abcd🦊🦊", 10, "abcd…"],
  ["abc🦊🦊", 10, "abc🦊…"],
])("cuts %o to %i bytes: %o", (text, mostBytes, expected) => {
  expect(cutText(text, mostBytes)).toBe(expected);
  expect(new TextEncoder().encode(cutText(text, mostBytes)).length).toBeLessThanOrEqual(mostBytes);
});
