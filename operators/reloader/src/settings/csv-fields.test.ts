import { expect, it } from "vitest";
import { csvFields } from "./csv-fields.ts";

it.each([
  ["", [""]],
  ["a", ["a"]],
  ["a,b", ["a", "b"]],
  ["a,,b,", ["a", "", "b", ""]],
  ['"a in (x,y)"', ["a in (x,y)"]],
  ['"a in (x,y)",b', ["a in (x,y)", "b"]],
  ['"say ""hi"""', ['say "hi"']],
  ['"a', undefined],
  ['a"b"', undefined],
  ['"a"b', undefined],
])("reads %j as %j", (line, fields) => {
  expect(csvFields(line)).toEqual(fields);
});
