import { KeelsonError } from "./error.ts";

/** How a quantity was written, and so how it is printed: `12Mi`, `12M` or `12e6`. */
export type QuantityFormat = "BinarySI" | "DecimalSI" | "DecimalExponent";

/**
 * An amount of a resource, such as `500m` of CPU or `1Gi` of memory, exact to one billionth. Nothing finer exists in
 * Kubernetes: a smaller part was rounded up, away from zero, when the quantity was read.
 */
export interface Quantity {
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

/** A text that Kubernetes does not take for a quantity, or one so large that no machine could print it. */
export class InvalidQuantityError extends KeelsonError {
  static override readonly brand: string = "@keelson/core.InvalidQuantityError";
  readonly code = "INVALID_QUANTITY";
  readonly text: string;

  constructor(text: string, problem: string) {
    super(`parse quantity ${JSON.stringify(text)}: ${problem}`);
    this.text = text;
  }
}

const nanosPerUnit = 10n ** 9n;
/** 2^63-1: what a binary quantity is capped at when it is read. Decimal ones are not. */
const largestBinaryNanos = (2n ** 63n - 1n) * nanosPerUnit;
/** Far beyond any resource. It keeps a short text like `1e999999999` from filling the memory. */
const largestExponent = 1000;

const binarySuffixes: readonly string[] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimalSuffixes: readonly string[] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const nanoExponent = -9;

/** Sign, digits before and after the point, suffix. Each may be empty: Kubernetes reads `Ki` and `.` as 0. */
const quantityPattern = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;

interface QuantityParts {
  readonly isNegative: boolean;
  /** Without leading zeros; `0` if nothing is left. */
  readonly whole: string;
  readonly fraction: string;
  readonly scale: QuantityScale;
}

/** What a suffix stands for: `base ** exponent`. */
interface QuantityScale {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

/** Reads a quantity as it is in an object: a string, or a number, which YAML makes of `cpu: 2`. */
export function parseQuantity(text: string | number | bigint): Quantity {
  return quantityOf(String(text), splitQuantity(String(text)));
}

/**
 * The canonical form: no fraction, the largest suffix that loses nothing, the kind of suffix that was read. A binary
 * quantity that has a fraction or is smaller than 1Ki is printed as a decimal one.
 *
 * Differs from Kubernetes in one case, where Kubernetes prints another number: beyond the largest suffix it drops the
 * suffix, and prints `1` for `1000E`.
 */
export function formatQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return "0";
  const isBinary = format === "BinarySI" && magnitude(nanos) >= 1024n * nanosPerUnit;
  if (isBinary && nanos % nanosPerUnit === 0n) {
    const { mantissa, times } = divideOut(nanos / nanosPerUnit, 1024n, binarySuffixes.length - 1);
    return `${mantissa}${binarySuffixes[times]}`;
  }
  if (format === "DecimalExponent") {
    const { mantissa, times } = divideOut(nanos, 1000n, Number.POSITIVE_INFINITY);
    const exponent = nanoExponent + 3 * times;
    return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
  }
  const { mantissa, times } = divideOut(nanos, 1000n, decimalSuffixes.length - 1);
  return `${mantissa}${decimalSuffixes[times]}`;
}

/**
 * What the API server returns for a field of type quantity that was written as `text`. That is the canonical form, except
 * that some spellings are kept: the server takes `+1`, `01` and `1.500` for canonical and does not touch them. (In
 * lists of resources, such as limits and requests, it first rounds up to thousandths.)
 */
export function quantityAsStored(text: string | number | bigint): string {
  const source = String(text);
  const parts = splitQuantity(source);
  return isKeptAsWritten(source, parts) ? source : formatQuantity(quantityOf(source, parts));
}

/** Negative if `a` is less, positive if it is more, 0 if they are the same amount however they are written. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  if (a.nanos === b.nanos) return 0;
  return a.nanos < b.nanos ? -1 : 1;
}

/** The sum, in the format of `a`; or of `b` if `a` is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** The difference, in the format of `a`; or of `b` if `a` is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos - b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** The next multiple of 10^`exponent`, away from zero: 0 for whole units, -3 for thousandths. */
export function roundUpQuantity({ nanos, format }: Quantity, exponent: number): Quantity {
  if (exponent <= nanoExponent) return { nanos, format };
  const step = 10n ** BigInt(exponent - nanoExponent);
  const rounded = divideUp(magnitude(nanos), step) * step;
  return { nanos: nanos < 0n ? -rounded : rounded, format };
}

function splitQuantity(text: string): QuantityParts {
  const match = text === "" ? null : quantityPattern.exec(text);
  if (match === null) {
    throw new InvalidQuantityError(text, "it is not a number with a suffix; write it like 500m, 1.5 or 2Gi");
  }
  const [, sign = "", whole = "", fraction = "", suffix = ""] = match;
  const scale = scaleOf(suffix);
  if (scale === undefined) {
    throw new InvalidQuantityError(
      text,
      `${JSON.stringify(suffix)} is not a suffix; use one of n u m k M G T P E, Ki Mi Gi Ti Pi Ei or an exponent like e3`,
    );
  }
  const parts = { isNegative: sign === "-", whole: whole.replace(/^0+/, "") || "0", fraction, scale };
  if (whole + fraction === "" && !fitsFastPath(parts))
    throw new InvalidQuantityError(text, "it has no digits");
  return parts;
}

function scaleOf(suffix: string): QuantityScale | undefined {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal !== -1) return { base: 10, exponent: nanoExponent + 3 * decimal, format: "DecimalSI" };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary !== -1) return { base: 2, exponent: 10 * binary, format: "BinarySI" };
  return /^[eE][-+]?\d+$/.test(suffix)
    ? { base: 10, exponent: Number(suffix.slice(1)), format: "DecimalExponent" }
    : undefined;
}

function quantityOf(text: string, { isNegative, whole, fraction, scale }: QuantityParts): Quantity {
  const digits = BigInt(whole + fraction);
  if (digits === 0n) return { nanos: 0n, format: scale.format };
  if (scale.exponent > largestExponent) {
    throw new InvalidQuantityError(text, `it is too large; the largest exponent is ${largestExponent}`);
  }
  const size =
    scale.base === 2
      ? smallerOf(timesTenTo(digits << BigInt(scale.exponent), -fraction.length), largestBinaryNanos)
      : timesTenTo(digits, scale.exponent - fraction.length);
  const isFractionOfOne = scale.format === "BinarySI" && size < nanosPerUnit;
  return { nanos: isNegative ? -size : size, format: isFractionOfOne ? "DecimalSI" : scale.format };
}

/** `digits * 10 ** exponent` in billionths, rounded up, so that a request above 0 stays above 0. */
function timesTenTo(digits: bigint, exponent: number): bigint {
  const shift = exponent - nanoExponent;
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  // Spares computing a huge power of ten when the result is the smallest amount anyway.
  if (-shift > String(digits).length) return 1n;
  return divideUp(digits, 10n ** BigInt(-shift));
}

/**
 * Whether Kubernetes reads the quantity into a machine integer. The value is the same either way; only this path
 * keeps spellings, and only this path accepts a text without digits.
 */
function fitsFastPath({ whole, fraction, scale }: QuantityParts): boolean {
  return scale.base === 2
    ? fraction === "" && whole.length + Math.trunc((scale.exponent * 3) / 10) <= 14
    : whole.length + fraction.length <= 18 && scale.exponent - fraction.length >= nanoExponent;
}

/**
 * Whether the server's reader recognises the text as canonical and keeps it. Its test is a quick one, which lets
 * signs, leading zeros, a trailing `.500` and a capital `E` before the exponent pass.
 */
function isKeptAsWritten(text: string, parts: QuantityParts): boolean {
  if (text === "0") return true;
  if (!fitsFastPath(parts)) return false;
  const { whole, fraction, scale } = parts;
  if (scale.base === 2) return (BigInt(whole) & 7n) !== 0n;
  const digits = whole + fraction;
  return (scale.exponent - fraction.length) % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
}

function divideOut(
  value: bigint,
  factor: bigint,
  mostTimes: number,
): { readonly mantissa: bigint; readonly times: number } {
  let mantissa = value;
  let times = 0;
  while (times < mostTimes && mantissa % factor === 0n) {
    mantissa /= factor;
    times += 1;
  }
  return { mantissa, times };
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function smallerOf(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
