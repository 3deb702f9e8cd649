import { describe, expect, it } from "vitest";
import { namePatterns } from "./name-pattern.ts";

describe("a list of names and patterns", () => {
  it.each([
    ["a name", "db", "db", true],
    ["a name that another begins with", "db", "db-2", false],
    ["a name that another ends with", "db", "my-db", false],
    ["one of several names", "a,db,c", "db", true],
    ["white space around a name", " a , db\t,\n c ", "db", true],
    ["a pattern", "db-.*", "db-2", true],
    ["a pattern that matches a part", "db-[0-9]", "my-db-2", false],
    ["the first of two alternatives as a part", "a|b", "ab", false],
    ["the second of two alternatives", "a|b", "b", true],
    ["the longer of two alternatives", "a|ab", "ab", true],
    ["a dot, which is any character", "my.config", "my-config", true],
    ["a dot that is escaped", "my\\.config", "my-config", false],
    ["an anchored pattern", "^db$", "db", true],
    ["a flag", "(?i)DB", "db", true],
    ["an empty list", "", "db", false],
    ["an empty item", "a,,b", "", false],
    ["a wildcard of shells, which repeats the character before it", "db*", "db-2", false],
    ["an invalid pattern beside a name", "db(,db", "db", true],
  ])("with %s: %j matches %j: %s", (_, list, name, expected) => {
    expect(namePatterns(list).matches(name)).toBe(expected);
  });

  it.each([
    ["(", "missing closing )"],
    ["[a", "missing closing ]"],
    ["*", "missing argument to repetition operator"],
    ["a)|(b", "unexpected )"],
    ["(?=a)", "invalid or unsupported Perl syntax"],
    ["(a)\\1", "invalid escape sequence"],
  ])("reports %j, which matches nothing", (item, reason) => {
    const { problems, matches } = namePatterns(item);
    expect(problems).toEqual([
      expect.stringMatching(
        / is not a regular expression \(.*\); write a name or a pattern .* such as app-\.\*$/,
      ),
    ]);
    expect(problems[0]).toContain(reason);
    expect(matches("a")).toBe(false);
  });

  it("reports a pattern that is too long, too large or one too many", () => {
    expect(namePatterns("a.".repeat(600)).problems).toEqual([
      expect.stringContaining("is too long; write at most 1024"),
    ]);
    expect(namePatterns("(a?){400}").problems).toEqual([
      expect.stringContaining("too large a pattern; write one with"),
    ]);
    const many = Array.from({ length: 500 }, (_, index) => `a${index}-.*`);
    const { problems, matches } = namePatterns(many.join(","));
    expect(problems).toHaveLength(6);
    expect(problems[0]).toContain("is one pattern too many; join some, such as app-.*");
    expect(problems[5]).toMatch(/^\d+ more items are wrong; correct these first$/);
    expect(matches("a99-b")).toBe(true);
    expect(matches("a499-b")).toBe(false);
  });

  it("takes any number of plain names", () => {
    const names = Array.from({ length: 5000 }, (_, index) => `name-${index}`);
    const list = namePatterns(names.join(","));
    expect(list).toMatchObject({ hasPatterns: false, problems: [] });
    expect(names.every((name) => list.matches(name))).toBe(true);
  });

  it("says which items are names", () => {
    expect(namePatterns("b, a,a ,c.*")).toMatchObject({ names: ["b", "a"], hasPatterns: true });
  });

  it.each([
    "(a+)+$",
    "(a|a)*b",
    "(a*)*b",
    "(.*.*.*.*)x",
    "(.*a){20}",
    "(a?){60}a{60}",
    "([a-z]+)*\\d",
    ".*a.{25}",
    "(x+x+)+y",
    ".*a.{25}.*b.{25}",
  ])("decides %j, which would take ages by trying, within milliseconds", (item) => {
    const names = Array.from({ length: 20 }, (_, index) => `${"a".repeat(200 + index)}${"ab".repeat(15)}!`);
    const startMs = performance.now();
    const patterns = namePatterns(item);
    expect(patterns.problems).toEqual([]);
    for (const name of names) patterns.matches(name);
    expect(performance.now() - startMs).toBeLessThan(200);
  });

  it("forgets the least recent lists, and reads them again", () => {
    for (let index = 0; index < 5000; index++) namePatterns(`forgotten-${index}`);
    expect(namePatterns("forgotten-0").matches("forgotten-0")).toBe(true);
  });
});
