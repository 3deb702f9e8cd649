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
  [/(?<year>\d{4})/, "(\\d{4})"],
  [/^.{1,1000}$/, "^.{1,1000}$"],
  [/^((a{10}b){10}c){10}d{1000}$/, "^((a{10}b){10}c){10}d{1000}$"],
  [/(?<a$b>x)(?:y)(?i:z)/, "(x)(?:y)(?i:z)"],
  [/[\w-.][\d-z][a-\w][a-z-]/, "[\\w\\-.][\\d\\-z][a\\-\\w][a-z-]"],
  [/^[[:alpha:]]$/, "^[\\[:alpha:]]$"],
  [/[\b]\b/, "[\\x08]\\b"],
  [/^\s[^\s]$/, "^[\\t-\\r\\pZ\\x{FEFF}][^\\t-\\r\\pZ\\x{FEFF}]$"],
  [/\p{Lu}\P{Letter}/u, "\\p{Lu}\\P{L}"],
  [/[\ud83d\ude00]+/u, "[\\x{1f600}]+"],
  [/\ud83d\ude00\x41/, "\\x{1f600}\\x41"],
  [/a{,3}\.\//, "a{,3}\\.\\/"],
])("translates %s to RE2", (expression, pattern) => {
  expect(toRe2(expression)).toEqual({ pattern });
});

it.each(["A", "C", "Q", "E", "a", "z", "p", "u", "x", "é"])(
  "takes the escaped letter %s for itself, as JavaScript does",
  (letter) => {
    expect(toRe2(new RegExp(`^\\${letter}{3}$`))).toEqual({ pattern: `^${letter}{3}$` });
  },
);

/** Either half of an emoji. */
const halves = "[\\ud83d\\ude00]";
const octal = "[\\1]";

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
  [new RegExp(octal), "an octal escape"],
  [/\p{Alphabetic}/u, "the Unicode property Alphabetic"],
  [/\ud83d/, "half of a surrogate pair"],
  [/😀+/, "a surrogate pair without the flag u"],
  [new RegExp(halves), "a surrogate pair without the flag u"],
  [/^(a{100}){100}$/, "a repetition of more than 1000"],
  [/^(?:(?:a{10}|b){10}c){11}$/, "a repetition of more than 1000"],
  [/\p{Script=Greek}/u, "a Unicode property with a value"],
  [/^.{1,1001}$/, "a repetition of more than 1000"],
  [/^.{2000}$/, "a repetition of more than 1000"],
  [/a/y, "the flag y"],
  [/[a--b]/v, "the flag v"],
])("reports that RE2 cannot express %s", (expression, problem) => {
  expect(toRe2(expression)).toEqual({ problem });
});
