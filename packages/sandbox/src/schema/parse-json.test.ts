import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonSyntaxError, parseDocument } from "./json-document.ts";
import { parseJson } from "./parse-json.ts";

describe("malformed JSON is refused in the server's words", () => {
  it.each([
    ["", "unexpected end of JSON input"],
    ['{"spec":', "unexpected end of JSON input"],
    ['{"a', "unexpected end of JSON input"],
    ["nul", "invalid character ' ' in literal null (expecting 'l')"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":01}', "invalid character '1' after object key:value pair"],
    ['{"a":"\\x"}', "invalid character 'x' in string escape code"],
    ['{"a":"\\uzzzz"}', "invalid character 'z' in \\u hexadecimal character escape"],
    ['{"a":1} x', "invalid character 'x' after top-level value"],
    ['{"a":tru}', "invalid character '}' in literal true (expecting 'e')"],
    ['{"a":[1 2]}', "invalid character '2' after array element"],
    ['{"a":-}', "invalid character '}' in numeric literal"],
    ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
    ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
    ["'", "invalid character '\\'' looking for beginning of value"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ["é", "invalid character 'Ã' looking for beginning of value"],
  ])("%j: %s", (text, message) => {
    expect(() => parseJson(text)).toThrow(new JsonSyntaxError(message));
  });

  it("takes 10,000 levels, and refuses more", () => {
    const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
    expect(parseJson(nested(10_000)).hasDuplicates).toBe(false);
    expect(() => parseDocument(nested(10_000))).not.toThrow();
    expect(() => parseDocument(nested(10_001))).toThrow("exceeded max depth");
    expect(() => parseJson(nested(10_001))).toThrow("invalid character '[' exceeded max depth");
  });
});

it("puts a mark in the place of halves of characters", () => {
  const { value } = parseJson('{"\\ud800":"a\\udc00","b":"\\ud83d\\ude00"}');
  expect(value).toEqual({ "\ufffd": "a\ufffd", b: "\u{1f600}" });
});

it.each([
  ['{"a":1,"a":2}', true],
  ['{"a":{"b":1,"b":1}}', true],
  ['[{"a":":\\":","b":[]}]', false],
  ['{"":{"":""}}', false],
  ['{"__proto__":1,"__proto__":2}', true],
])("knows whether %s repeats a field: %s", (text, hasDuplicates) => {
  expect(parseJson(text)).toMatchObject({ hasDuplicates });
});

it("gives what JSON.parse gives, and finds no repetition in what JSON.stringify writes", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const plain = JSON.stringify(JSON.parse(text));
      expect(parseJson(plain)).toEqual({ value: JSON.parse(plain), text: plain, hasDuplicates: false });
    }),
  );
});

it("takes and refuses the same text as JSON.parse, both ways", () => {
  const fragment = fc.constantFrom(...'{}[]:,"\\ut-+.eE019 \n', "true", "null", '"a"', "é");
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 12 }), (fragments) => {
      const text = fragments.join("");
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      if (isJson) {
        parseJson(text);
        parseDocument(text);
      } else {
        expect(() => parseJson(text)).toThrow(JsonSyntaxError);
      }
    }),
    { numRuns: 2000 },
  );
});
