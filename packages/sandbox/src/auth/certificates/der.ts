import { KeelsonError } from "@keelson/core";

/** A value in the Distinguished Encoding Rules of ASN.1. */
export interface DerValue {
  /** The identifier octet: class, whether it contains values, and number. */
  readonly tag: number;
  readonly content: Uint8Array;
  /** With its tag and its length. */
  readonly raw: Uint8Array;
}

export const derTags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectId: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Bytes that are not the expected structure; the message is that of Go's decoder. */
export class DerError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.DerError";
  readonly code = "DER";
}

/** Reads the one value that the bytes contain. */
export function readDer(bytes: Uint8Array): DerValue {
  const value = readValue(bytes, 0);
  if (value.raw.length < bytes.length) throw new DerError("asn1: syntax error: trailing data");
  return value;
}

/** Reads the values that a sequence, a set or a tagged value contains. */
export function readParts({ content }: DerValue): readonly DerValue[] {
  const values: DerValue[] = [];
  for (let offset = 0; offset < content.length; ) {
    const value = readValue(content, offset);
    values.push(value);
    offset += value.raw.length;
  }
  return values;
}

function readValue(bytes: Uint8Array, start: number): DerValue {
  const tag = byteAt(bytes, start);
  const first = byteAt(bytes, start + 1);
  let length = first;
  let offset = start + 2;
  if (first >= 0x80) {
    const size = first & 0x7f;
    if (size === 0) throw new DerError("asn1: syntax error: indefinite length found (not DER)");
    if (size > 4) throw new DerError("asn1: structure error: length too large");
    length = 0;
    for (let index = 0; index < size; index += 1, offset += 1) length = length * 256 + byteAt(bytes, offset);
  }
  const end = offset + length;
  if (end > bytes.length) throw new DerError("asn1: syntax error: data truncated");
  return { tag, content: bytes.subarray(offset, end), raw: bytes.subarray(start, end) };
}

function byteAt(bytes: Uint8Array, offset: number): number {
  const byte = bytes[offset];
  if (byte === undefined) throw new DerError("asn1: syntax error: data truncated");
  return byte;
}

/** Writes a value; its content is the bytes of the parts, in order. */
export function writeDer(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Uint8Array.of(tag, ...lengthOctets(length)), ...parts]);
}

function lengthOctets(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return [0x80 | octets.length, ...octets];
}

/** Writes a non-negative integer from its big-endian bytes. */
export function writeInteger(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start === -1 ? Uint8Array.of(0) : bytes.subarray(start);
  const isNegative = (digits[0] ?? 0) >= 0x80;
  return writeDer(derTags.integer, Uint8Array.of(...(isNegative ? [0] : [])), digits);
}

/** Writes an object identifier: `2.5.29.17`. */
export function writeObjectId(id: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = id.split(".").map(Number);
  const octets = [first * 40 + second, ...rest].flatMap((part) => {
    const digits = [part % 128];
    for (let left = Math.floor(part / 128); left > 0; left = Math.floor(left / 128)) {
      digits.unshift(0x80 | (left % 128));
    }
    return digits;
  });
  return writeDer(derTags.objectId, Uint8Array.from(octets));
}

/** The object identifier of a value: `2.5.29.17`. */
export function objectIdOf({ content }: DerValue): string {
  const numbers: number[] = [];
  let part = 0;
  for (const byte of content) {
    part = part * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    numbers.push(part);
    part = 0;
  }
  const [first = 0, ...rest] = numbers;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...rest].join(".");
}

/** Writes a time: in the form with two digits for the year before 2050, as certificates require. */
export function writeTime(ms: number): Uint8Array {
  const digits = `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:T]/g, "")}Z`;
  const isShort = new Date(ms).getUTCFullYear() < 2050;
  return isShort
    ? writeDer(derTags.utcTime, Buffer.from(digits.slice(2)))
    : writeDer(derTags.generalizedTime, Buffer.from(digits));
}
