import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  subtractQuantities,
} from "@keelson/core";
import { ExtensionValue } from "../language/cel-values.ts";
import { failure } from "../language/evaluation-failure.ts";
import type { Functions } from "../language/function-table.ts";

/** An amount such as `1Gi` as a value of CEL. */
class CelQuantity extends ExtensionValue {
  readonly typeName = "kubernetes.Quantity";
  readonly amount: Quantity;

  constructor(amount: Quantity) {
    super();
    this.amount = amount;
  }

  /** Two amounts are equal however they are written. */
  toString(): string {
    return String(this.amount.nanos);
  }
}

const nanosPerUnit = 1_000_000_000n;

export const quantities: Functions = [
  ["quantity(string): kubernetes.Quantity", (text: string) => new CelQuantity(parsed(text))],
  ["isQuantity(string): bool", (text: string) => isQuantity(text)],
  ["sign(kubernetes.Quantity): int", ({ amount }: CelQuantity) => BigInt(compareQuantities(amount, zero))],
  ["kubernetes.Quantity.isInteger(): bool", ({ amount }: CelQuantity) => isInteger(amount)],
  ["kubernetes.Quantity.asInteger(): int", asInteger],
  [
    "kubernetes.Quantity.asApproximateFloat(): double",
    ({ amount }: CelQuantity) => Number(amount.nanos) / 1e9,
  ],
  [
    "kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity",
    (a: CelQuantity, b: CelQuantity) => sum(a, b.amount),
  ],
  ["kubernetes.Quantity.add(int): kubernetes.Quantity", (a: CelQuantity, b: bigint) => sum(a, whole(b))],
  [
    "kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity",
    (a: CelQuantity, b: CelQuantity) => difference(a, b.amount),
  ],
  [
    "kubernetes.Quantity.sub(int): kubernetes.Quantity",
    (a: CelQuantity, b: bigint) => difference(a, whole(b)),
  ],
  [
    "kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool",
    (a: CelQuantity, b: CelQuantity) => compared(a, b) < 0,
  ],
  [
    "kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool",
    (a: CelQuantity, b: CelQuantity) => compared(a, b) > 0,
  ],
  [
    "kubernetes.Quantity.compareTo(kubernetes.Quantity): int",
    (a: CelQuantity, b: CelQuantity) => BigInt(compared(a, b)),
  ],
];

const zero: Quantity = { nanos: 0n, format: "DecimalSI" };

function whole(units: bigint): Quantity {
  return { nanos: units * nanosPerUnit, format: "DecimalSI" };
}

function sum({ amount }: CelQuantity, other: Quantity): CelQuantity {
  return new CelQuantity(addQuantities(amount, other));
}

function difference({ amount }: CelQuantity, other: Quantity): CelQuantity {
  return new CelQuantity(subtractQuantities(amount, other));
}

function compared(a: CelQuantity, b: CelQuantity): -1 | 0 | 1 {
  return compareQuantities(a.amount, b.amount);
}

function isInteger({ nanos }: Quantity): boolean {
  return nanos % nanosPerUnit === 0n && BigInt.asIntN(64, nanos / nanosPerUnit) === nanos / nanosPerUnit;
}

function asInteger({ amount }: CelQuantity): bigint {
  if (!isInteger(amount)) throw failure("cannot convert value to integer");
  return amount.nanos / nanosPerUnit;
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}

function parsed(text: string): Quantity {
  try {
    return parseQuantity(text);
  } catch (cause) {
    throw failure(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      cause,
    );
  }
}
