import { parseQuantity } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { duration, intOrString, quantity } from "./scalars.ts";

describe("a quantity", () => {
  it.each(["0", "500m", "1.5Gi", ".5", "1.", "+2", "-3k", "1e3", "12E", "5E-2", 7])("may be %s", (value) => {
    expect(quantity().parse(value)).toBe(value);
    expect(() => parseQuantity(value)).not.toThrow();
  });

  it.each(["", "Gi", "1 Gi", "1GB", "1KI", "0x1", "1e", "1.2.3", 1.5, true])("may not be %s", (value) => {
    expect(quantity().safeParse(value).success).toBe(false);
  });
});

describe("a duration", () => {
  it.each(["0", "30s", "1h30m", "1.5h", "100ms", "-1m", "5µs"])("may be %s", (value) => {
    expect(duration().parse(value)).toBe(value);
  });

  it.each(["", "30", "1d", "P1D", "1 h", "h"])("may not be %s", (value) => {
    expect(duration().safeParse(value).success).toBe(false);
  });
});

it("takes integers and strings for int-or-string, and nothing else", () => {
  expect([5, "50%"].map((value) => intOrString().safeParse(value).success)).toEqual([true, true]);
  expect([1.5, true, null].map((value) => intOrString().safeParse(value).success)).toEqual([
    false,
    false,
    false,
  ]);
});
