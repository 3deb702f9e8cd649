import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { deepEqual } from "./json.ts";
import { formatJson, parseJson } from "./json-text.ts";

/** Deeper than the API server accepts, and deeper than a recursion of the engine gets. */
const depth = 20_000;
const deepText = `${'{"a":['.repeat(depth / 2)}1${"]}".repeat(depth / 2)}`;

describe("JSON text", () => {
  it.each([
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    '{"a":9007199254740993,"b":[1,-9007199254740995,{"c":12345678901234567}],"d":"9007199254740993"}',
    '{"__proto__":9007199254740993}',
    '{"a":"\\"9007199254740993","b":9007199254740993}',
    '{"a":"\\ue0009007199254740993","\ue000":"\ue000\\uE000","b":9007199254740993}',
  ])("comes back as it was: %s", (text) => {
    const written = formatJson(parseJson(text));
    expect(written).toBe(text.replaceAll(/\\ue000/gi, "\ue000"));
    expect(JSON.parse(written)).toEqual(JSON.parse(text));
  });

  it("has a bigint for an integer of 64 bits that a number would round, and a number otherwise", () => {
    const text = "[9007199254740992,-9007199254740993,10000000000000000,9223372036854775808]";
    expect(parseJson(text)).toEqual([9007199254740992, -9007199254740993n, 1e16, 2 ** 63]);
    const fractions = "[9007199254740993.5,0.9007199254740993,9007199254740993e0,1e+0000000000000000]";
    expect(parseJson(fractions)).toEqual(JSON.parse(fractions));
  });

  it.each(['{"a":09007199254740993}', "{9007199254740993:1}", "9007199254740993x", '{"a":9007199254740993'])(
    "that is no JSON is refused: %s",
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );

  it("of any value without bigints is what the engine parses and writes", () => {
    const digits = fc.stringMatching(/^"?-?\d{14,20}[.e]?\d?$/);
    const value = fc.anything({ values: [fc.string(), digits, fc.double(), fc.constant(null)], maxDepth: 4 });
    fc.assert(
      fc.property(value, (one) => {
        const text = JSON.stringify(one) ?? "null";
        expect(formatJson(one)).toBe(text);
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it("of 64-bit integers in any place comes back as it was", () => {
    const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const member = fc.tuple(fc.string(), integer).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
    fc.assert(
      fc.property(fc.array(member), (members) => {
        const text = `[${members.map((one) => `{${one}}`).join(",")}]`;
        expect(formatJson(parseJson(text))).toBe(text);
      }),
    );
  });

  it("is written and parsed however deeply it is nested", () => {
    const value = parseJson(deepText);
    expect(formatJson(value)).toBe(deepText);
    const exact = deepText.replace("1", "9007199254740993");
    expect(formatJson(parseJson(exact))).toBe(exact);
    expect(deepEqual(value, parseJson(exact))).toBe(false);
  });

  it("is written as by the engine where a value is no JSON", () => {
    const time = new Date(0);
    const value = { a: undefined, b: () => 1, c: [undefined, Symbol("x")], d: Number.NaN, time, e: 2n };
    expect(formatJson(value)).toBe('{"c":[null,null],"d":null,"time":"1970-01-01T00:00:00.000Z","e":2}');
    expect([undefined, () => 1].map(formatJson)).toEqual(["null", "null"]);
  });

  it("is not written of a value that contains itself", () => {
    const value: Record<string, unknown> = { a: 1n };
    value.self = [value];
    expect(() => formatJson(value)).toThrow(TypeError);
    const same = {};
    expect(formatJson([same, same, 1n])).toBe("[{},{},1]");
  });
});

describe("in an application that writes bigints as strings", () => {
  afterEach(() => {
    Reflect.deleteProperty(BigInt.prototype, "toJSON");
  });

  it("formatJson writes integers", () => {
    Object.defineProperty(BigInt.prototype, "toJSON", { value: () => "text", configurable: true });
    expect(formatJson({ a: 9007199254740993n })).toBe('{"a":9007199254740993}');
  });
});
