import { expect, it } from "vitest";
import { warningsIn } from "./response.ts";

it.each([
  [undefined, []],
  ['299 - "unknown field \\"spec.imag\\""', ['unknown field "spec.imag"']],
  ['299 - "one, with a comma", 299 - "two"', ["one, with a comma", "two"]],
  ["nonsense", []],
])("reads %s", (header, texts) => {
  expect(warningsIn(header)).toEqual(texts);
});
