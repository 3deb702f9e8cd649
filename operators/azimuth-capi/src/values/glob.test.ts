import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesGlob } from "./glob.ts";

describe("F.2: a pattern of flavors", () => {
  it.each([
    ["bm.*", "bm.gpus", true],
    ["bm.*", "bm.", true],
    ["bm.*", "bmXgpus", false],
    ["bm.*", "vm.bm.gpus", false],
    ["*", "", true],
    ["", "", true],
    ["", "a", false],
    ["**", "abc", true],
    ["*.gpu.*", "vm.gpu.a100.gpu.x", true],
    ["*a*b", "aaab", true],
    ["*a*b", "aaaba", false],
    ["vm.?", "vm.1", true],
    ["vm.?", "vm.", false],
    ["vm.?", "vm.12", false],
    ["?", "🦀", true],
    ["vm.[sm]*", "vm.medium", true],
    ["vm.[sm]*", "vm.large", false],
    ["vm.[!sm]*", "vm.large", true],
    ["vm.[!sm]*", "vm.small", false],
    ["gpu[0-9]", "gpu7", true],
    ["gpu[0-9]", "gpux", false],
    ["gpu[a-c0-2]", "gpub", true],
    ["[]]", "]", true],
    ["[!]]", "]", false],
    ["[!]]", "x", true],
    ["[a-]", "-", true],
    ["[^a]", "^", true],
    ["[^a]", "b", false],
    ["[z-a]", "m", false],
    ["vm[1", "vm[1", true],
    ["[]", "[]", true],
    ["vm.small", "VM.small", false],
    ["a.c", "abc", false],
    ["(a|b)+$", "(a|b)+$", true],
    ["\\*", "\\anything", true],
  ])("%o matches %o: %s", (pattern, text, isMatch) => {
    expect(matchesGlob(pattern, text)).toBe(isMatch);
  });

  it("matches itself if it has no special characters, and with a star what it begins", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (begin, end) => {
        const literal = begin.replaceAll(/[*?[]/g, "");
        expect(matchesGlob(literal, literal)).toBe(true);
        expect(matchesGlob(`${literal}*`, literal + end)).toBe(true);
        expect(matchesGlob(`*${literal}`, end + literal)).toBe(true);
      }),
    );
  });

  it("does not need more and more time for more and more stars", () => {
    const pattern = `${"*a".repeat(200)}b`;
    expect(matchesGlob(pattern, "a".repeat(5_000))).toBe(false);
  });
});
