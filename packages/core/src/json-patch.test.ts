import { expect, it } from "vitest";
import { pointer } from "./json-patch.ts";

it("escapes names in a JSON pointer so that slashes and tildes stay part of them", () => {
  expect(pointer("metadata", "labels", "example.com/app")).toBe("/metadata/labels/example.com~1app");
  expect(pointer("a~1", "~/")).toBe("/a~01/~0~1");
  expect(pointer("list", 0)).toBe("/list/0");
  expect(pointer("")).toBe("/");
  expect(pointer()).toBe("");
});
