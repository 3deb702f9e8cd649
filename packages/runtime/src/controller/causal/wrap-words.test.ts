import { describe, expect, it } from "vitest";
import { wrapWords } from "./wrap-words.ts";

describe("wrapping", () => {
  it("breaks between words, as late as the width allows", () => {
    expect(wrapWords("aa bb cc dd", 5)).toEqual(["aa bb", "cc dd"]);
    expect(wrapWords("aa bb cc dd", 8)).toEqual(["aa bb cc", "dd"]);
  });

  it("leaves a word whole that is longer than a line", () => {
    expect(wrapWords("a bbbbbbbb c", 4)).toEqual(["a", "bbbbbbbb", "c"]);
  });

  it("takes line breaks and runs of spaces for one space", () => {
    expect(wrapWords("a\n  b\tc", 10)).toEqual(["a b c"]);
  });
});
