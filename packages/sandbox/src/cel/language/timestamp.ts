const perMillisecond = 1_000_000n;
const pattern =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9})\d*)?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** Nanoseconds since 1970 of a time such as `2024-01-31T10:00:00.5Z`; undefined for other texts. */
export function parseTimestamp(text: string): bigint | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hours, minutes, seconds, fraction = "", sign, offsetHours, offsetMinutes] =
    match;
  const [date, hour, minute, second] = [Number(day), Number(hours), Number(minutes), Number(seconds)];
  if (hour > 23 || minute > 59 || second > 59 || Number(month) < 1 || Number(month) > 12) return undefined;
  if (date < 1 || date > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()) return undefined;
  const utc = new Date(0);
  utc.setUTCFullYear(Number(year), Number(month) - 1, date);
  utc.setUTCHours(hour, minute, second);
  const offset = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * (sign === "-" ? -1 : 1);
  const milliseconds = BigInt(utc.getTime()) - BigInt(offset) * 60_000n;
  return milliseconds * perMillisecond + BigInt(fraction.padEnd(9, "0"));
}

/** In UTC, with as many digits as the fraction of the second needs. */
export function formatTimestamp(nanoseconds: bigint): string {
  const fraction = ((nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const seconds = (nanoseconds - fraction) / 1_000_000_000n;
  const whole = new Date(Number(seconds) * 1000).toISOString().replace(/\.\d+Z$/, "");
  const digits = String(fraction).padStart(9, "0").replace(/0+$/, "");
  return `${whole}${digits === "" ? "" : `.${digits}`}Z`;
}
