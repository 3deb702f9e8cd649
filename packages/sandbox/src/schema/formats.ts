import { parseIpAddress } from "@keelson/core";

/** Whether a text has a format of custom resources. Every text has an unknown format. */
export function hasFormat(text: string, format: string): boolean {
  const check = checkOf(format);
  return check === undefined || check(text);
}

export function isKnownFormat(format: string): boolean {
  return checkOf(format) !== undefined;
}

/** Hyphens in the name do not count, except in those that Kubernetes added. */
function checkOf(format: string): Check | undefined {
  return checks.get(format) ?? checks.get(format.replaceAll("-", ""));
}

type Check = (text: string) => boolean;

const uuid = (version: string, variant: string): Check => {
  const pattern = new RegExp(
    `^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`,
    "i",
  );
  return (text) => pattern.test(text);
};

const matches =
  (pattern: RegExp): Check =>
  (text) =>
    pattern.test(text);

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

const checks: ReadonlyMap<string, Check> = new Map(
  Object.entries<Check>({
    bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
    uri: isRequestUri,
    email: matches(/^(?:[^<>]*<)?[^\s@<>(),;:"[\]]+@[^\s@<>(),;:"[\]]+>?$/),
    hostname: isHostname,
    ipv4: (text) => parseIpAddress(text)?.family === "IPv4",
    ipv6: (text) => parseIpAddress(text)?.family === "IPv6",
    cidr: isCidr,
    mac: matches(
      /^(?:[0-9a-f]{2}(?::[0-9a-f]{2}){5}|[0-9a-f]{2}(?:-[0-9a-f]{2}){5}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}|[0-9a-f]{2}(?::[0-9a-f]{2}){7}|[0-9a-f]{2}(?:-[0-9a-f]{2}){7}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){3})$/i,
    ),
    uuid: uuid("[0-9a-f]{4}", "[0-9a-f]"),
    uuid3: uuid("3[0-9a-f]{3}", "[0-9a-f]"),
    uuid4: uuid("4[0-9a-f]{3}", "[89ab]"),
    uuid5: uuid("5[0-9a-f]{3}", "[89ab]"),
    isbn: (text) => isIsbn10(text) || isIsbn13(text),
    isbn10: isIsbn10,
    isbn13: isIsbn13,
    creditcard: isCreditCard,
    ssn: matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
    hexcolor: matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
    rgbcolor: isRgbColor,
    byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
    date: isDate,
    duration: isDuration,
    datetime: isDateTime,
    "k8s-short-name": (text) => text.length <= 63 && dnsLabel.test(text),
    "k8s-long-name": (text) => text.length <= 253 && text.split(".").every((label) => dnsLabel.test(label)),
    password: () => true,
  }),
);

/** An absolute address, or a path from the root. */
function isRequestUri(text: string): boolean {
  if ([...text].some((character) => character < " " || character === "\x7f")) return false;
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/?#]* /i.test(text)) return false;
  return (text.startsWith("/") || /^[a-z][a-z0-9+.-]*:/i.test(text)) && !/%(?![0-9a-f]{2})/i.test(text);
}

function isHostname(text: string): boolean {
  if (text.length > 253) return false;
  const label = /^[\p{L}\p{S}a-zA-Z0-9](?:[\p{L}\p{S}a-zA-Z0-9-]{0,61}[\p{L}\p{S}a-zA-Z0-9])?$/u;
  const labels = text.split(".");
  const hasTopLevel = labels.length === 1 || /^[\p{L}a-zA-Z]{2,63}$/u.test(labels.at(-1) ?? "");
  return hasTopLevel && labels.every((part) => label.test(part));
}

function isCidr(text: string): boolean {
  const [, address = "", bits = ""] = /^(.*)\/(\d{1,3})$/.exec(text) ?? [];
  const family = parseIpAddress(address)?.family;
  return family !== undefined && Number(bits) <= (family === "IPv4" ? 32 : 128);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, "");
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, at) => total + (digit === "X" ? 10 : Number(digit)) * (10 - at),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, "");
  if (!/^\d{13}$/.test(digits)) return false;
  return (
    [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0) % 10 === 0
  );
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D/g, "");
  if (!/^\d{13,19}$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const [, ...parts] = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text) ?? [];
  return parts.length === 3 && parts.every((part) => Number(part) <= 255);
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === undefined || Number(month) < 1 || Number(month) > 12) return false;
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) >= 1 && Number(day) <= lastDay;
}

function isDateTime(text: string): boolean {
  const pattern = /^([^Tt]*)[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d([.,]\d+)?([Zz]|[+-]\d\d:\d\d)$/;
  const [, date] = pattern.exec(text) ?? [];
  return date !== undefined && isDate(date);
}

/** Go's form (`1h30m`), or a number and a unit in words (`2 days`). */
function isDuration(text: string): boolean {
  if (/^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true;
  const units = /^(?:ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;
  return [...text.matchAll(/(?<!\d)\d+\s*([A-Za-zµ]+)/g)].some(([, unit = ""]) => units.test(unit));
}
