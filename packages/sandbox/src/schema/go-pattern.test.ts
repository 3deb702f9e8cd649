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
    ["^(?P<part>a)[(?P<part>]?(?P<part>b)$", "apb", "aqb"],
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
    [
      "(".repeat(1001) + ")".repeat(1001),
      `expression nests too deeply: \`${"(".repeat(1001) + ")".repeat(1001)}\``,
    ],
    ["a\\", "trailing backslash at end of expression: ``"],
  ])("%s is refused in the words of Go", (pattern, complaint) => {
    expect(() => goPattern(pattern)).toThrow(new GoPatternError(`error parsing regexp: ${complaint}`));
  });

  it.each(["^(a+)+$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a|b|ab)*c$"])(
    "%s is decided in time that grows with the text only",
    (pattern) => {
      const start = performance.now();
      expect(goPattern(pattern).test(`${"a".repeat(200_000)}!`)).toBe(false);
      expect(goPattern(pattern).findAll(`${"a".repeat(20_000)}!`, -1).length).toBe(0);
      expect(performance.now() - start).toBeLessThan(10_000);
    },
  );

  it("finds all matches that do not overlap", () => {
    expect(goPattern("a*").findAll("baaau", -1)).toEqual(["", "aaa", ""]);
    expect(goPattern("[0-9]+").findAll("1, 22, 333", 2)).toEqual(["1", "22"]);
    expect(goPattern("[0-9]+").findAll("1", 0)).toEqual([]);
    expect(goPattern("[0-9]+").find("a 22 333")).toBe("22");
    expect(goPattern("[0-9]+").find("none")).toBeUndefined();
  });

  it("is either compiled or refused, whatever it is", () => {
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
            expect(goPattern(pattern).test(pattern)).toBeTypeOf("boolean");
          } catch (error) {
            expect(error).toBeInstanceOf(GoPatternError);
          }
        },
      ),
    );
  });
});
