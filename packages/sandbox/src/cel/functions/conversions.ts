import {
  type CelDuration,
  type CelMap,
  type CelTimestamp,
  TypeValue,
  typeNameOf,
  Unsigned,
} from "../language/cel-values.ts";
import { failure } from "../language/evaluation-failure.ts";
import type { Functions } from "../language/function-table.ts";
import { checkedDuration, checkedTimestamp, durationOf, timestampOf } from "./times.ts";

const same = <T>(value: T): T => value;
const perSecond = 1_000_000_000n;
const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];

function conversionFailure(from: string, to: string): Error {
  return failure(`type conversion error from '${from}' to '${to}'`);
}

function intOf(value: bigint): bigint {
  if (value < least || value > most) throw failure("integer overflow");
  return value;
}

function unsignedOf(value: bigint): Unsigned {
  if (value < 0n || value >= 2n ** 64n) throw failure("unsigned integer overflow");
  return new Unsigned(value);
}

function whole(value: number, problem: string): bigint {
  if (!Number.isFinite(value)) throw failure(problem);
  return BigInt(Math.trunc(value));
}

function parseInteger(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) throw conversionFailure("string", "int");
  const value = BigInt(text.replace(/^\+/, ""));
  if (value < least || value > most) throw conversionFailure("string", "int");
  return value;
}

function parseUnsigned(text: string): Unsigned {
  const value = /^\d+$/.test(text) ? BigInt(text) : -1n;
  if (value < 0n || value >= 2n ** 64n) throw conversionFailure("string", "uint");
  return new Unsigned(value);
}

function parseDouble(text: string): number {
  const special = /^([+-]?)(?:inf|infinity|nan)$/i.exec(text);
  if (special !== null) {
    if (/nan$/i.test(text)) return Number.NaN;
    return special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) throw conversionFailure("string", "double");
  return Number(text);
}

const truths: ReadonlySet<string> = new Set(["1", "t", "T", "true", "TRUE", "True"]);
const falsehoods: ReadonlySet<string> = new Set(["0", "f", "F", "false", "FALSE", "False"]);

function parseBoolean(text: string): boolean {
  if (truths.has(text)) return true;
  if (falsehoods.has(text)) return false;
  throw conversionFailure("string", "bool");
}

/** As Go writes it: whole numbers without a point, exponents of two digits. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const size = Math.abs(value);
  const written = size !== 0 && (size < 1e-4 || size >= 1e21) ? value.toExponential() : String(value);
  return written.replace(/e([+-])(\d)$/, "e$10$2");
}

function textOfBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw failure("invalid UTF-8 in bytes, cannot convert to string", cause);
  }
}

export const conversions: Functions = [
  ["bool(bool): bool", same],
  ["bool(string): bool", parseBoolean],
  ["bytes(bytes): bytes", same],
  ["bytes(string): bytes", (text: string) => new Uint8Array(Buffer.from(text))],
  ["double(double): double", same],
  ["double(int): double", Number],
  ["double(string): double", parseDouble],
  ["double(uint): double", ({ value }: Unsigned) => Number(value)],
  ["duration(duration): duration", same],
  ["duration(int): duration", (nanoseconds: bigint) => checkedDuration(nanoseconds)],
  ["duration(string): duration", durationOf],
  ["dyn(A): dyn", same],
  ["int(int): int", same],
  ["int(double): int", (value: number) => intOf(whole(value, "integer overflow"))],
  ["int(duration): int", ({ nanoseconds }: CelDuration) => nanoseconds],
  ["int(string): int", parseInteger],
  ["int(timestamp): int", ({ nanoseconds }: CelTimestamp) => nanoseconds / perSecond],
  ["int(uint): int", ({ value }: Unsigned) => intOf(value)],
  ["string(string): string", same],
  ["string(bool): string", String],
  ["string(bytes): string", textOfBytes],
  ["string(double): string", doubleText],
  ["string(duration): string", String],
  ["string(int): string", String],
  ["string(timestamp): string", String],
  ["string(uint): string", String],
  ["timestamp(timestamp): timestamp", same],
  ["timestamp(int): timestamp", (seconds: bigint) => checkedTimestamp(seconds * perSecond)],
  ["timestamp(string): timestamp", timestampOf],
  ["type(A): type<A>", (value: unknown) => new TypeValue(typeNameOf(value))],
  ["uint(uint): uint", same],
  ["uint(double): uint", (value: number) => unsignedOf(whole(value, "unsigned integer overflow"))],
  ["uint(int): uint", unsignedOf],
  ["uint(string): uint", parseUnsigned],
  ["size(bytes): int", ({ length }: Uint8Array) => BigInt(length)],
  ["bytes.size(): int", ({ length }: Uint8Array) => BigInt(length)],
  ["size(list<A>): int", ({ length }: readonly unknown[]) => BigInt(length)],
  ["list<A>.size(): int", ({ length }: readonly unknown[]) => BigInt(length)],
  ["size(map<A, B>): int", ({ size }: CelMap) => BigInt(size)],
  ["map<A, B>.size(): int", ({ size }: CelMap) => BigInt(size)],
  ["size(string): int", (text: string) => BigInt([...text].length)],
  ["string.size(): int", (text: string) => BigInt([...text].length)],
];
