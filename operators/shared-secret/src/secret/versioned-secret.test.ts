import { describe, expect, it } from "vitest";
import { versionOf } from "./versioned-secret.ts";

describe("the version of a value", () => {
  it("is the same for the same content, in any order of its keys", () => {
    expect(versionOf({ a: "1", b: "2" }, "salt")).toBe(versionOf({ b: "2", a: "1" }, "salt"));
  });

  it.each<[string, Record<string, string>]>([
    ["another value", { a: "2", b: "2" }],
    ["another key", { c: "1", b: "2" }],
    ["a missing key", { a: "1" }],
    ["values that were exchanged", { a: "2", b: "1" }],
  ])("differs for %s", (_, data) => {
    expect(versionOf(data, "salt")).not.toBe(versionOf({ a: "1", b: "2" }, "salt"));
  });

  it("does not let a guess be checked by those who do not know the salt", () => {
    expect(versionOf({ a: "1" }, "one")).not.toBe(versionOf({ a: "1" }, "other"));
    expect(versionOf({ a: "1" }, undefined)).toBeUndefined();
  });
});
