import { expect, test } from "vitest";
import { goQuote, textOfBytes } from "./go-quote.ts";

test.each([
  ["plain text", '"plain text"'],
  ['a "quote" and a \\', '"a \\"quote\\" and a \\\\"'],
  ["a\x07b\x00c\x7fd\n\v", '"a\\ab\\x00c\\x7fd\\n\\v"'],
  ["é \u{1f600} \u2028 \u00a0", '"é \u{1f600} \\u2028 \\u00a0"'],
  ["\u{e0001}", '"\\U000e0001"'],
])("%j is quoted as %s", (text, quoted) => {
  expect(goQuote(text)).toBe(quoted);
});

test("bytes that are no text are kept, and shown as bytes", () => {
  const text = textOfBytes(new Uint8Array([0x61, 0xff, 0xc3, 0xa9, 0xe2, 0x82, 0xc0, 0x80]));
  expect(goQuote(text)).toBe('"a\\xffé\\xe2\\x82\\xc0\\x80"');
  expect(text.toWellFormed()).toBe("a\ufffdé\ufffd\ufffd\ufffd\ufffd");
});
