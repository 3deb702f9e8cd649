import { parseDuration } from "@keelson/core";
import { CelDuration, CelTimestamp } from "../language/cel-values.ts";
import { failure } from "../language/evaluation-failure.ts";
import type { Functions } from "../language/function-table.ts";
import { parseTimestamp } from "../language/timestamp.ts";

const perSecond = 1_000_000_000n;
/** The first moment of year 1, and the last one of 9999. */
const [firstSecond, lastSecond] = [-62_135_596_800n, 253_402_300_799n];

export function checkedDuration(nanoseconds: bigint): CelDuration {
  if (BigInt.asIntN(64, nanoseconds) !== nanoseconds) throw failure("duration overflow");
  return new CelDuration(nanoseconds);
}

export function checkedTimestamp(nanoseconds: bigint): CelTimestamp {
  const seconds = nanoseconds / perSecond;
  if (seconds < firstSecond || seconds > lastSecond) throw failure("timestamp overflow");
  return new CelTimestamp(nanoseconds);
}

export function durationOf(text: string): CelDuration {
  const nanoseconds = parseDuration(text);
  if (nanoseconds === undefined)
    throw failure("type conversion error from 'string' to 'google.protobuf.Duration'");
  return checkedDuration(nanoseconds);
}

export function timestampOf(text: string): CelTimestamp {
  const nanoseconds = parseTimestamp(text);
  if (nanoseconds === undefined)
    throw failure("type conversion error from 'string' to 'google.protobuf.Timestamp'");
  return checkedTimestamp(nanoseconds);
}

type Read = (date: Date, nanoseconds: bigint) => number;

const millisecondsPerDay = 86_400_000;

const calendar: Readonly<Record<string, Read>> = {
  getDate: (date) => date.getUTCDate(),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDayOfWeek: (date) => date.getUTCDay(),
  getDayOfYear: (date) =>
    Math.floor((date.getTime() - new Date(date).setUTCMonth(0, 1)) / millisecondsPerDay),
  getFullYear: (date) => date.getUTCFullYear(),
  getHours: (date) => date.getUTCHours(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
  getMinutes: (date) => date.getUTCMinutes(),
  getMonth: (date) => date.getUTCMonth(),
  getSeconds: (date) => date.getUTCSeconds(),
};

export const times: Functions = [
  ...Object.entries(calendar).flatMap(
    ([name, read]): Functions => [
      [`timestamp.${name}(): int`, (time: CelTimestamp) => readTime(time, "UTC", read)],
      [`timestamp.${name}(string): int`, (time: CelTimestamp, zone: string) => readTime(time, zone, read)],
    ],
  ),
  ["duration.getHours(): int", ({ nanoseconds }: CelDuration) => nanoseconds / (3600n * perSecond)],
  ["duration.getMinutes(): int", ({ nanoseconds }: CelDuration) => nanoseconds / (60n * perSecond)],
  ["duration.getSeconds(): int", ({ nanoseconds }: CelDuration) => nanoseconds / perSecond],
  ["duration.getMilliseconds(): int", ({ nanoseconds }: CelDuration) => nanoseconds / 1_000_000n],
];

function readTime({ nanoseconds }: CelTimestamp, zone: string, read: Read): bigint {
  const utc = Number(nanoseconds / 1_000_000n);
  return BigInt(read(new Date(utc + offsetOf(zone, utc)), nanoseconds));
}

/** Milliseconds that a time zone such as `Europe/Berlin`, `UTC` or `-01:30` is ahead. */
function offsetOf(zone: string, utc: number): number {
  if (zone === "UTC" || zone === "") return 0;
  const [, sign, hours, minutes] = /^([+-]?)(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (hours !== undefined) return (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
  try {
    const parts = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      ...{ year: "numeric", month: "numeric", day: "numeric" },
      ...{ hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" },
    }).formatToParts(utc);
    const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value ?? 0);
    const local = Date.UTC(
      part("year"),
      part("month") - 1,
      part("day"),
      part("hour"),
      part("minute"),
      part("second"),
    );
    return local - Math.floor(utc / 1000) * 1000;
  } catch (cause) {
    throw failure(`unknown time zone ${zone}`, cause);
  }
}
