import { formatFieldSelector } from "@keelson/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../status/api-error.ts";
import { readFieldSelector } from "./field-selector.ts";

describe("a field selector", () => {
  test.each([
    ["a", "invalid selector: 'a'; can't understand 'a'"],
    ["a=b,z", "invalid selector: 'a=b,z'; can't understand 'z'"],
    ["a=b=c", "invalid field selector: unescaped character in value: 61"],
    ["a===c", "invalid field selector: unescaped character in value: 61"],
    ["a=\\", "invalid field selector: invalid escape sequence: \\"],
    ["a=\\xy", "invalid field selector: invalid escape sequence: \\x"],
  ])("%j is refused with the server's message", (selector, problem) => {
    expect(() => readFieldSelector(selector)).toThrow(problem);
  });

  test("is looked at in the order of its terms, not as they were written", () => {
    expect(() => readFieldSelector("z,a=b=c")).toThrow("unescaped character");
    expect(readFieldSelector("z=1,a!=2").map(({ field }) => field)).toEqual(["a", "z"]);
  });

  test("may have no field name, which the kind refuses, and has no effect without a value", () => {
    expect(readFieldSelector("=a")).toEqual([{ field: "", operator: "=", value: "a" }]);
    expect(readFieldSelector("=,!=,,==")).toEqual([]);
  });

  test("that a client wrote is read as it was meant", () => {
    const requirement = fc.record({
      field: fc.constantFrom("a", "metadata.name"),
      operator: fc.constantFrom("=", "!="),
      value: fc.string({ unit: fc.constantFrom("x", "\\", ",", "=", "!", " ", "é", "\n") }),
    });
    fc.assert(
      fc.property(requirement, (one) => {
        expect(readFieldSelector(formatFieldSelector([one]))).toEqual([one]);
      }),
    );
  });

  test("is parsed or refused, whatever the text is", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "\\", ",", "=", "!", "😀") }), (selector) => {
        try {
          readFieldSelector(selector);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
      }),
    );
  });
});
