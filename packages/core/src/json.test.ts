import { describe, expect, it } from "vitest";
import { deepEqual, diffJson, isRecord, pointer } from "./json.ts";

it("takes objects for records, and nothing else", () => {
  expect([{}, { a: 1 }].map(isRecord)).toEqual([true, true]);
  expect([null, undefined, [], "a", 1, () => 1].map(isRecord)).toEqual(Array(6).fill(false));
});

describe("two JSON values", () => {
  it("are equal whatever the order of their properties", () => {
    expect(deepEqual({ a: 1, b: { c: [1, "x", null] } }, { b: { c: [1, "x", null] }, a: 1 })).toBe(true);
  });

  it("differ if arrays are in another order or of another length", () => {
    expect(deepEqual([1, 2], [2, 1])).toBe(false);
    expect(deepEqual([1], [1, 2])).toBe(false);
    expect(deepEqual([1, 2], [1])).toBe(false);
    expect(deepEqual([], [undefined])).toBe(false);
  });

  it("are equal if what one of them lacks is undefined in the other", () => {
    expect(deepEqual({ a: undefined }, {})).toBe(true);
    expect(deepEqual({}, { a: undefined })).toBe(true);
    expect(deepEqual({ a: undefined }, { b: undefined })).toBe(true);
    expect(deepEqual({ a: null }, {})).toBe(false);
    expect(deepEqual({}, { a: null })).toBe(false);
  });

  it("are equal if they are the same integer, as a bigint or a number", () => {
    expect(deepEqual([9007199254740993n, 5n, 5], [9007199254740993n, 5, 5n])).toBe(true);
  });

  it("are compared however deeply they are nested", () => {
    const deep = (value: string): unknown => JSON.parse(`${"[".repeat(20_000)}${value}${"]".repeat(20_000)}`);
    expect(deepEqual(deep("1"), deep("1"))).toBe(true);
    expect(deepEqual(deep("1"), deep("2"))).toBe(false);
  });

  it.each<[unknown, unknown]>([
    [9007199254740993n, 9007199254740992],
    [5n, "5"],
    [{}, []],
    [[], {}],
    [{}, null],
    [null, undefined],
    [1, "1"],
    [0, false],
    ["", null],
    [{ 0: "a" }, ["a"]],
    [{ a: {} }, { a: { b: 1 } }],
    [{ a: { b: 1 } }, { a: {} }],
  ])("differ: %o and %o", (a, b) => {
    expect(deepEqual(a, b)).toBe(false);
  });

  it("differ if only one has a property that all objects inherit", () => {
    const polluted: unknown = JSON.parse('{"__proto__":{},"constructor":1}');
    expect(deepEqual(polluted, {})).toBe(false);
    expect(deepEqual({}, polluted)).toBe(false);
    expect(deepEqual(polluted, JSON.parse('{"constructor":1,"__proto__":{}}'))).toBe(true);
    expect(deepEqual({}, { toString: Object.prototype.toString })).toBe(false);
  });
});

it("replaces as a whole what differs at a great depth", () => {
  const deep = (value: string): unknown => JSON.parse(`${'{"a":'.repeat(9_000)}${value}${"}".repeat(9_000)}`);
  expect(diffJson(deep("1"), deep("1"))).toEqual([]);
  const [operation, ...more] = diffJson(deep("1"), deep("2"));
  expect(more).toEqual([]);
  expect(operation).toMatchObject({ op: "add", path: "/a".repeat(501) });
});

it("escapes names in a JSON pointer so that slashes and tildes stay part of them", () => {
  expect(pointer("metadata", "labels", "example.com/app")).toBe("/metadata/labels/example.com~1app");
  expect(pointer("a~1", "~/")).toBe("/a~01/~0~1");
  expect(pointer("list", 0)).toBe("/list/0");
  expect(pointer("")).toBe("/");
  expect(pointer()).toBe("");
});
