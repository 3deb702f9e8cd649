import { expect, it } from "vitest";
import { toRe2 } from "./re2.ts";

it.each([
  [/^[a-z]([-a-z0-9]*[a-z0-9])?$/, "^[a-z]([-a-z0-9]*[a-z0-9])?$"],
  [/a\/b[(?=]/, "a\\/b[(?=]"],
  [/web/i, "(?i)web"],
  [/^a.b$/ms, "(?ms)^a.b$"],
  [/[\u00e4\u00f6]/, "[\\x{00e4}\\x{00f6}]"],
  [/\u{1F600}/u, "\\x{1F600}"],
  [/\\u0041/, "\\\\u0041"],
  [/(?<year>\d{4})/, "(?<year>\\d{4})"],
  [/^.{1,1000}$/, "^.{1,1000}$"],
])("says %s as RE2 does", (expression, pattern) => {
  expect(toRe2(expression)).toEqual({ pattern });
});

it.each([
  [/a(?=b)/, "look-ahead"],
  [/a(?!b)/, "look-ahead"],
  [/(?<=a)b/, "look-behind"],
  [/(?<!a)b/, "look-behind"],
  [/(a)\1/, "a back-reference"],
  [/(?<x>a)\k<x>/, "a back-reference"],
  // biome-ignore lint/correctness/noEmptyCharacterClassInRegex: it is what this case is about
  [/[^]/, "an empty character class"],
  [/\cA/, "a control escape"],
  [/\p{Script=Greek}/u, "a Unicode property with a value"],
  [/^.{1,1001}$/, "a repetition of more than 1000"],
  [/^.{2000}$/, "a repetition of more than 1000"],
  [/a/y, "the flag y"],
  [/[a--b]/v, "the flag v"],
])("knows that RE2 cannot say %s", (expression, problem) => {
  expect(toRe2(expression)).toEqual({ problem });
});
