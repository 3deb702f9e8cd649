import { describe, expect, it } from "vitest";
import { quoteIdentifier, quoteLiteral } from "./quoting.ts";

describe("names and texts in statements", () => {
  const identifiers = [
    ["orders", '"orders"'],
    ['or"ders', '"or""ders"'],
    ["Or ders; drop", '"Or ders; drop"'],
    ["\\", '"\\"'],
  ] as const;
  for (const [name, quoted] of identifiers)
    it(`quotes the name ${name}`, () => expect(quoteIdentifier(name)).toBe(quoted));

  const literals = [
    ["orders", "'orders'"],
    ["it's", "'it''s'"],
    ["a\\'b", " E'a\\\\''b'"],
    ["", "''"],
  ] as const;
  for (const [text, quoted] of literals)
    it(`quotes the text ${JSON.stringify(text)}`, () => expect(quoteLiteral(text)).toBe(quoted));
});
