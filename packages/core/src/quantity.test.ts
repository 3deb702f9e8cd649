import { describe, expect, it } from "vitest";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  InvalidQuantityError,
  parseQuantity,
  quantityAsStored,
  roundUpQuantity,
  subtractQuantities,
} from "./quantity.ts";

const canonical = (text: string | number): string => formatQuantity(parseQuantity(text));

describe("the canonical form of a quantity", () => {
  it.each([
    ["0", "0"],
    ["0Ki", "0"],
    ["1", "1"],
    ["1.5", "1500m"],
    ["0.1", "100m"],
    ["1000m", "1"],
    ["1500m", "1500m"],
    ["1000000", "1M"],
    ["1000", "1k"],
    ["100000", "100k"],
    ["1.5Gi", "1536Mi"],
    ["1024Mi", "1Gi"],
    ["1025Ki", "1025Ki"],
    ["0.5Ki", "512"],
    ["1023", "1023"],
    ["1023.5Ki", "1048064"],
    ["1Ei", "1Ei"],
    ["12e6", "12e6"],
    ["12e5", "1200e3"],
    ["1E3", "1e3"],
    ["1e0", "1"],
    ["1e-3", "1e-3"],
    ["1e21", "1e21"],
    ["1E", "1E"],
    ["1u", "1u"],
    ["1000n", "1u"],
    ["+5", "5"],
    ["-1.5", "-1500m"],
    ["-2048Ki", "-2Mi"],
    ["007", "7"],
    ["5.", "5"],
    [".5", "500m"],
    ["1.500", "1500m"],
  ])("of %s is %s", (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  it("takes numbers, which YAML makes of unquoted quantities", () => {
    expect([2, 0.5, 1e21, 1e-7].map(canonical)).toEqual(["2", "500m", "1e21", "100e-9"]);
  });

  it("rounds what is finer than one billionth up, away from zero", () => {
    expect(["0.1n", "-0.1n", "1.0000000001", "1e-1000", "0.0000000001Ki"].map(canonical)).toEqual([
      "1n",
      "-1n",
      "1000000001n",
      "1e-9",
      "103n",
    ]);
  });

  it("caps binary quantities at 2^63-1, and no other quantities", () => {
    expect(canonical("8Ei")).toBe("9223372036854775807");
    expect(canonical("-100Ei")).toBe("-9223372036854775807");
    expect(canonical("10E")).toBe("10E");
    expect(canonical("9223372036854775808")).toBe("9223372036854775808");
  });

  it("keeps a number beyond the largest suffix, where Kubernetes would print another one", () => {
    expect(canonical("1000E")).toBe("1000E");
    const twoToThe70 = Array.from({ length: 1024 }, () => parseQuantity("1Ei")).reduce(addQuantities);
    expect(formatQuantity(twoToThe70)).toBe("1024Ei");
  });

  it.each(["+", "-", ".", "Ki", "m", "e5"])("of %j, which has no digits, is 0 as in Kubernetes", (text) => {
    expect(canonical(text)).toBe("0");
  });
});

describe("a text that is no quantity", () => {
  it.each(["", " 1", "1 ", "1 Ki", "1..2", "1.2.3", "1e5.3", "abc", "1Kix", "1,5", "Ei", "e-12", "NaN", "∞"])(
    "is refused: %j",
    (text) => {
      expect(() => parseQuantity(text)).toThrow(InvalidQuantityError);
    },
  );

  it("is refused for its suffix with the suffixes there are", () => {
    for (const text of ["1K", "1ki", "1mm", "1e", "1Ki5", "1e-", "+-5"]) {
      expect(() => parseQuantity(text)).toThrow(/is not a suffix; use one of n u m k M G T P E/);
    }
  });

  it("is refused if its exponent would fill the memory, unless it is zero", () => {
    expect(() => parseQuantity("1e999999999")).toThrow(/too large; the largest exponent is 1000/);
    expect(canonical("0e999999999")).toBe("0");
    expect(canonical("1e-999999999")).toBe("1e-9");
  });

  it("carries the text", () => {
    expect(catchError(() => parseQuantity("1K"))).toMatchObject({ code: "INVALID_QUANTITY", text: "1K" });
  });
});

describe("what the API server stores for a quantity", () => {
  it.each(["+1", "01", "1.500", "1E3", "1e0", "007Ki", "0"])("is %s as it was written", (text) => {
    expect(quantityAsStored(text)).toBe(text);
  });

  it.each([
    ["1.5", "1500m"],
    ["1000", "1k"],
    ["008Ki", "8Ki"],
    ["1.5Gi", "1536Mi"],
    ["00", "0"],
    ["9Pi", "9Pi"],
    ["+1234567890123456789", "1234567890123456789"],
  ])("is the canonical form of %s", (text, expected) => {
    expect(quantityAsStored(text)).toBe(expected);
  });
});

describe("calculating with quantities", () => {
  const sum = (a: string, b: string): string =>
    formatQuantity(addQuantities(parseQuantity(a), parseQuantity(b)));
  const difference = (a: string, b: string): string =>
    formatQuantity(subtractQuantities(parseQuantity(a), parseQuantity(b)));

  it("keeps the format of the first one", () => {
    expect(sum("1Gi", "1M")).toBe("1074741824");
    expect(sum("1Gi", "1024k")).toBe("1049576Ki");
    expect(sum("1M", "1Mi")).toBe("2048576");
    expect(sum("100m", "0.9")).toBe("1");
    expect(difference("1e3", "1m")).toBe("999999e-3");
  });

  it("takes the format of the second one if the first is zero", () => {
    expect(sum("0", "2Mi")).toBe("2Mi");
    expect(difference("0", "2Mi")).toBe("-2Mi");
  });

  it("compares amounts, not texts", () => {
    const compare = (a: string, b: string): number => compareQuantities(parseQuantity(a), parseQuantity(b));
    expect(compare("1", "1000m")).toBe(0);
    expect(compare("1Gi", "1024Mi")).toBe(0);
    expect(compare("1G", "1Gi")).toBe(-1);
    expect(compare("1n", "-1E")).toBe(1);
  });

  it("rounds up to a power of ten, away from zero", () => {
    const rounded = (text: string, exponent: number): string =>
      formatQuantity(roundUpQuantity(parseQuantity(text), exponent));
    expect(rounded("1100u", -3)).toBe("2m");
    expect(rounded("-1100u", -3)).toBe("-2m");
    expect(rounded("1.2", 0)).toBe("2");
    expect(rounded("3", 0)).toBe("3");
    expect(rounded("11", 1)).toBe("20");
    expect(rounded("5n", -9)).toBe("5n");
  });
});

function catchError(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}
