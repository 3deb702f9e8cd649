import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityAsStored,
  subtractQuantities,
} from "./quantity.ts";

const runs = { numRuns: 200 };

const suffixNanos: Readonly<Record<string, bigint>> = {
  n: 1n,
  u: 10n ** 3n,
  m: 10n ** 6n,
  "": 10n ** 9n,
  k: 10n ** 12n,
  M: 10n ** 15n,
  E: 10n ** 27n,
  Ki: 2n ** 10n * 10n ** 9n,
  Gi: 2n ** 30n * 10n ** 9n,
  e3: 10n ** 12n,
  "E-6": 10n ** 3n,
};

/** A text and, calculated another way, the billionths it stands for. */
const written = fc
  .record({
    digits: fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
    suffix: fc.constantFrom(...Object.keys(suffixNanos)),
  })
  .map(({ digits, suffix }) => {
    const cap = 2n ** 63n * 10n ** 9n - 10n ** 9n;
    const exact = digits * (suffixNanos[suffix] ?? 0n);
    const isCapped = suffix.endsWith("i") && (exact > cap || exact < -cap);
    return { text: `${digits}${suffix}`, nanos: isCapped ? (exact < 0n ? -cap : cap) : exact };
  });

/** A binary quantity above the cap is the one thing that cannot be read back. */
const quantity: fc.Arbitrary<Quantity> = fc.oneof(
  fc.record({
    nanos: fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
    format: fc.constantFrom("DecimalSI", "DecimalExponent"),
  }),
  fc.record({
    nanos: fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }).map((units) => units * 10n ** 9n),
    format: fc.constant("BinarySI"),
  }),
  fc.record({
    nanos: fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
    format: fc.constant("BinarySI"),
  }),
);

describe("any quantity", () => {
  it("stands for its digits times its suffix", () => {
    fc.assert(
      fc.property(written, ({ text, nanos }) => {
        expect(parseQuantity(text).nanos).toBe(nanos);
      }),
      runs,
    );
  });

  it("is the same amount after it was printed and read again", () => {
    fc.assert(
      fc.property(quantity, (value) => {
        expect(parseQuantity(formatQuantity(value)).nanos).toBe(value.nanos);
      }),
      runs,
    );
  });

  it("is printed the same when its canonical form is read and printed", () => {
    fc.assert(
      fc.property(written, ({ text }) => {
        const printed = formatQuantity(parseQuantity(text));
        expect(formatQuantity(parseQuantity(printed))).toBe(printed);
        expect(quantityAsStored(printed)).toBe(printed);
      }),
      runs,
    );
  });

  it("is ordered, added and subtracted like the integers", () => {
    fc.assert(
      fc.property(written, written, (a, b) => {
        const [left, right] = [parseQuantity(a.text), parseQuantity(b.text)];
        const order = a.nanos === b.nanos ? 0 : a.nanos < b.nanos ? -1 : 1;
        expect(compareQuantities(left, right)).toBe(order);
        expect(addQuantities(left, right).nanos).toBe(a.nanos + b.nanos);
        expect(subtractQuantities(left, right).nanos).toBe(a.nanos - b.nanos);
      }),
      runs,
    );
  });

  it("has no fraction and no suffix that could be larger", () => {
    fc.assert(
      fc.property(written, ({ text }) => {
        expect(formatQuantity(parseQuantity(text))).not.toMatch(/\.|^[-+]?\d*000[num]?$|\+/);
      }),
      runs,
    );
  });
});
