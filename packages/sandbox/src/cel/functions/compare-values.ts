import { CelDuration, CelTimestamp, Unsigned } from "../language/cel-values.ts";
import { failure, noSuchOverload } from "../language/evaluation-failure.ts";

/** Negative, 0 or positive: numbers by value, texts by code point, times, durations, false before true. */
export function compareValues(left: unknown, right: unknown): number {
  if (typeof left === "string" && typeof right === "string") return compareTexts(left, right);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  const [a, b] = [comparable(left), comparable(right)];
  if (Number.isNaN(a) || Number.isNaN(b)) throw failure("NaN values cannot be ordered");
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

function comparable(value: unknown): number | bigint {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value === "boolean") return Number(value);
  if (value instanceof Unsigned) return value.value;
  if (value instanceof CelDuration || value instanceof CelTimestamp) return value.nanoseconds;
  throw failure(noSuchOverload);
}
