import { expect, it } from "vitest";
import { readCanisterTime } from "./canister-time.ts";

it.each([
  ["nanoseconds since 1970", "1767225600123456789", "2026-01-01T00:00:00Z"],
  ["seconds since 1970", "1767225600", "2026-01-01T00:00:00Z"],
  ["RFC 3339", "2026-01-01T02:00:00.5+02:00", "2026-01-01T00:00:00Z"],
  ["an HTTP date", "Thu, 01 Jan 2026 00:00:00 GMT", "2026-01-01T00:00:00Z"],
])("reads %s", (_, text, time) => {
  expect(readCanisterTime(text)).toBe(time);
});

it.each([
  ...["", "yesterday", "0", "-1", "1767225600123", "99999999999999999999"],
  ...["2026-13-01T00:00:00Z", "2026-01-01", "Thu, 99 Jan 2026 00:00:00 GMT"],
])("does not take %j for a time", (text) => {
  expect(readCanisterTime(text)).toBeUndefined();
});
