import type { GenericObject } from "@keelson/core";
import { expect, test } from "vitest";
import { sortedForStore, withSortedKeys } from "./sorted-keys.ts";

const custom = { isCustom: true };

const object: GenericObject = {
  kind: "Gadget",
  apiVersion: "example.com/v1",
  spec: { b: [{ y: 1, x: null }], A: 1, a: 2, "\u{1f600}": 1, "\uffee": 2 },
  metadata: {
    uid: "u",
    name: "a",
    managedFields: [{ manager: "m", apiVersion: "v1", fieldsV1: { "k:2": {}, "k:1": {} } }],
  },
};

test("custom objects have keys sorted by bytes, except those of managed fields", () => {
  expect(JSON.stringify(withSortedKeys(custom, object))).toBe(
    '{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"managedFields":[{"apiVersion":"v1",' +
      '"fieldsV1":{"k:2":{},"k:1":{}},"manager":"m"}],"name":"a","uid":"u"},' +
      '"spec":{"A":1,"a":2,"b":[{"x":null,"y":1}],"\uffee":2,"\u{1f600}":1}}',
  );
});

test("there is a place for the resourceVersion that the store sets", () => {
  const { metadata } = sortedForStore(custom, object);
  expect(Object.keys(metadata)).toEqual(["managedFields", "name", "resourceVersion", "uid"]);
});

test("sorted parts are not copied, nor are objects of built-in kinds", () => {
  const sorted = withSortedKeys(custom, object);
  expect(withSortedKeys(custom, sorted)).toBe(sorted);
  expect(withSortedKeys({ isCustom: false }, object)).toBe(object);
  expect(sortedForStore({ isCustom: false }, object)).toBe(object);
});
