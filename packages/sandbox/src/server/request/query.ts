import { badRequest } from "../../status/api-error.ts";
import { goQuote } from "../../status/go-quote.ts";

/** A boolean parameter; undefined if it is absent. Every value except `false` and `0` is true, also the empty one. */
export function queryFlag(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  const lower = value.toLowerCase();
  return lower !== "false" && lower !== "0";
}

/** An integer parameter; undefined if it is absent. Throws ApiError if it is not a number. */
export function queryInteger(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (!/^[+-]?\d+$/.test(value)) throw notParsed(value, "invalid syntax");
  const number = BigInt(value.replace(/^\+/, ""));
  if (number > largestInt64 || number < -largestInt64 - 1n) throw notParsed(value, "value out of range");
  return Number(number);
}

const largestInt64 = 2n ** 63n - 1n;

function notParsed(value: string, why: string): Error {
  return badRequest(`strconv.ParseInt: parsing ${goQuote(value)}: ${why}`);
}

const isDubious = /[;%]/;
/** A percent sign that begins no escape, or a semicolon, which was a separator once. */
const isBroken = /;|%(?![0-9A-Fa-f]{2})/;

/** Parses a query. Parameters that cannot be decoded are ignored, as the server does. */
export function parseQuery(text: string): URLSearchParams {
  if (!isDubious.test(text)) return new URLSearchParams(text);
  const readable = text.split("&").filter((parameter) => !isBroken.test(parameter));
  return new URLSearchParams(readable.join("&"));
}
