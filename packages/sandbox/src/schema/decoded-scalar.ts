import { InvalidQuantityError, quantityAsStored } from "@keelson/core";
import { DecodeError } from "./decode-error.ts";

/** Quantities are kept in their shortest form, numbers as text. Throws DecodeError. */
export function decodedQuantity(value: unknown): string {
  if (typeof value === "string" || typeof value === "number") {
    try {
      return quantityAsStored(value);
    } catch (error) {
      if (!(error instanceof InvalidQuantityError)) throw error;
    }
  }
  throw new DecodeError(
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  );
}

const dayAndTime = ["2006", "-", "01", "-", "02", "T", "15", ":", "04", ":", "05"];
const timePattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)([.,]\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Times are kept in UTC, to the second; or with six digits more, which must be there. Throws DecodeError. */
export function decodedTime(text: string, fractionDigits: 0 | 6): string {
  const [, year, month, day, hour, minute, second, fraction = "", zone = ""] = timePattern.exec(text) ?? [];
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  const isExact = fractionDigits === 0 || /^\.\d{6}$/.test(fraction);
  const isDay = Number(day) <= daysIn(Number(year), Number(month));
  if (year === undefined || !isExact || !isDay || Number.isNaN(date.getTime()))
    throw new DecodeError(timeMessage(text, fractionDigits));
  return `${date.toISOString().slice(0, 19)}${fractionDigits === 0 ? "" : fraction}Z`;
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Names the first part that is wrong, as Go's time package does. */
function timeMessage(text: string, fractionDigits: 0 | 6): string {
  const layout = [...dayAndTime, ...(fractionDigits === 0 ? [] : [".000000"]), "Z07:00"];
  let rest = text;
  for (const [index, part] of layout.entries()) {
    const fitting = partPattern(part).exec(rest)?.[0];
    if (fitting === undefined) {
      const format = layout.join("");
      return `parsing time ${JSON.stringify(text)} as "${format}": cannot parse ${JSON.stringify(rest)} as "${part}"`;
    }
    rest = rest.slice(fitting.length);
    // A fraction may follow where none is asked for.
    if (index === dayAndTime.length - 1 && fractionDigits === 0) rest = rest.replace(/^[.,]\d+/, "");
  }
  return `parsing time ${JSON.stringify(text)}: ${outOfRange(text)} out of range`;
}

function partPattern(part: string): RegExp {
  if (part === "Z07:00") return /^(?:Z|[+-]\d\d:\d\d)$/;
  if (part === ".000000") return /^\.\d{6}(?!\d)/;
  return /\d/.test(part) ? new RegExp(`^\\d{${part.length}}`) : new RegExp(`^${part}`);
}

function outOfRange(text: string): string {
  const [month = 0, day = 0, hour = 0, minute = 0] = [5, 8, 11, 14].map((at) =>
    Number(text.slice(at, at + 2)),
  );
  if (month < 1 || month > 12) return "month";
  if (day < 1 || day > daysIn(Number(text.slice(0, 4)), month)) return "day";
  if (hour > 23) return "hour";
  return minute > 59 ? "minute" : "second";
}

/** Bytes are kept as base64 with padding. Throws DecodeError. */
export function decodedBytes(text: string): string {
  const plain = text.replace(/[\r\n]/g, "");
  const wrong = plain.search(/[^A-Za-z0-9+/=]/);
  const padding = plain.indexOf("=");
  const isComplete = plain.length % 4 === 0 && (padding === -1 || /^={1,2}$/.test(plain.slice(padding)));
  if (wrong === -1 && isComplete) return plain;
  const at = wrong === -1 ? badByte(plain, padding) : wrong;
  throw new DecodeError(`illegal base64 data at input byte ${at}`);
}

function badByte(plain: string, padding: number): number {
  return padding === -1 ? plain.length - (plain.length % 4) : padding;
}
