import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GoPatternError, goPattern } from "./go-pattern.ts";

describe("an expression of Go", () => {
  it.each([
    ["^[a-z]([-a-z0-9]*[a-z0-9])?$", "a-b", "a-"],
    ["(?i)^abc$", "ABC", "abd"],
    ["^a(?i)b|c$", "aB", "A"],
    ["^a(?i:b)c$", "aBc", "aBC"],
    ["^(?P<first>a)(?<second>b)$", "ab", "a"],
    ["^.$", "\r", "\n"],
    ["(?s)^.$", "\n", "ab"],
    ["(?m)^b$", "a\nb", "a\rb"],
    ["^\\s$", "\t", "\u00a0"],
    ["^[\\S]$", "\u00a0", " "],
    ["^\\pL+\\p{Greek}\\P{Lu}$", "aλb", "aλB"],
    ["^[[:alpha:]\\d_-]+$", "a1_-", "é"],
    ["^[^[:space:]]$", "a", "\v"],
    ["^[]a]$", "]", "["],
    ["^[\\[:x]z$", ":z", "yz"],
    ["^\\x41\\x{1F600}\\101$", "A😀A", "A😀B"],
    ["^.$", "😀", "😀😀"],
    ["\\Aa\\z", "a", "a\n"],
    ["^\\Q*.\\E$", "*.", "**"],
    ["^a{,3}$", "a{,3}", "aa"],
    ["^]}$", "]}", "]"],
    ["^a\\/\\-b$", "a/-b", "a-b"],
  ])("%s matches what it matches there", (pattern, matching, other) => {
    expect(goPattern(pattern).test(matching)).toBe(true);
    expect(goPattern(pattern).test(other)).toBe(false);
  });

  it.each([
    ["a(b", "missing closing ): `a(b`"],
    ["a)", "unexpected ): `a)`"],
    ["[a", "missing closing ]: `[a`"],
    ["[z-a]", "invalid character class range: `z-a`"],
    ["[[:foo:]]", "invalid character class range: `[:foo:]`"],
    ["\\p{Nowhere}", "invalid character class range: `\\p{Nowhere}`"],
    ["*a", "missing argument to repetition operator: `*`"],
    ["a**", "invalid nested repetition operator: `**`"],
    ["a{1001}", "invalid repeat count: `{1001}`"],
    ["a{3,2}", "invalid repeat count: `{3,2}`"],
    ["a(?=b)", "invalid or unsupported Perl syntax: `(?=`"],
    ["(?<=a)b", "invalid named capture: `(?<=a)b`"],
    ["(a)\\1", "invalid escape sequence: `\\1`"],
    ["\\y", "invalid escape sequence: `\\y`"],
    ["a\\", "trailing backslash at end of expression: ``"],
  ])("%s is refused in the words of Go", (pattern, complaint) => {
    expect(() => goPattern(pattern)).toThrow(new GoPatternError(...parted(complaint)));
  });

  it("is either translated or refused, whatever it is", () => {
    const piece = fc.constantFrom(
      "a",
      "[",
      "]",
      "(",
      "(?i)",
      "(?",
      ")",
      "\\",
      "{2}",
      "-",
      "*",
      "^",
      "\\p{",
      "[:",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((all) => all.join("")),
        ),
        (pattern) => {
          try {
            expect(goPattern(pattern)).toBeInstanceOf(RegExp);
          } catch (error) {
            expect(error).toBeInstanceOf(GoPatternError);
          }
        },
      ),
    );
  });
});

function parted(complaint: string): [string, string] {
  const at = complaint.indexOf(": `");
  return [complaint.slice(0, at), complaint.slice(at + 3, -1)];
}
