import { expect, it } from "vitest";
import { celField } from "./object-schema.ts";

it.each([
  ["image", "image"],
  ["snake_case", "snake_case"],
  ["storage-class", "storage__dash__class"],
  ["a.b/c", "a__dot__b__slash__c"],
  ["a__b", "a__underscores__b"],
  ["namespace", "__namespace__"],
  ["1st", undefined],
  ["ä", undefined],
])("names the field %s as %s", (name, field) => {
  expect(celField(name)).toBe(field);
});
