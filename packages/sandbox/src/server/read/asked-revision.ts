import type { ApiError } from "../../status/api-error.ts";

/** 0 for none and for `0`. Throws what `refuse` makes of the text if it is no number. */
export function askedRevision(text: string, refuse: (problem: string) => ApiError): number {
  if (text === "" || text === "0") return 0;
  const why = /^\d+$/.test(text)
    ? BigInt(text) > largestUint64
      ? "value out of range"
      : undefined
    : "invalid syntax";
  if (why === undefined) return Number(text);
  const quoted = JSON.stringify(text);
  throw refuse(`resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${why}`);
}

const largestUint64 = 2n ** 64n - 1n;
