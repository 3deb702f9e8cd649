import { describe, expect, it } from "vitest";
import { fitted, formatAge, formatTook, oneLine, shorten, widthOf } from "./format.ts";

describe("texts in columns", () => {
  it("take two columns for wide characters and none for marks", () => {
    expect(widthOf("abc")).toBe(3);
    expect(widthOf("日本")).toBe(4);
    expect(widthOf("🚀")).toBe(2);
    expect(widthOf("e\u0301")).toBe(1);
  });

  it("are shortened to the width, without half a character", () => {
    expect(shorten("keelson", 7)).toBe("keelson");
    expect(shorten("keelson", 4)).toBe("kee…");
    expect(shorten("日本語", 4)).toBe("日…");
    expect(shorten("keelson", 0)).toBe("");
  });

  it("are filled up to the width", () => {
    expect(fitted("日本", 6)).toBe("日本  ");
    expect(fitted("keelson", 4)).toBe("kee…");
  });

  it("are one line without anything that steers", () => {
    expect(oneLine(" a\nb\u001b[31mc\u0085 ")).toBe("a b [31mc");
  });
});

it.each([
  [-5_000, "0s"],
  [999, "0s"],
  [119_000, "119s"],
  [120_000, "2m"],
  [7_199_000, "119m"],
  [7_200_000, "2h"],
  [172_799_000, "47h"],
  [172_800_000, "2d"],
])("shows %d ms as %s", (ms, age) => {
  expect(formatAge(ms)).toBe(age);
});

it("shows a duration in tenths of seconds", () => {
  expect(formatTook(3_449)).toBe("3.4 s");
});
