import { type IpAddress, parseIpAddress } from "@keelson/core";
import { type FieldProblem, invalidValue } from "../../status/field-problem.ts";

/** The family of an address, or undefined if the text is none. Leading zeros are let through. */
export function ipFamilyOf(text: string): IpAddress["family"] | undefined {
  return lenientlyParsed(text)?.family;
}

export function ipProblems(text: string, field: string): readonly FieldProblem[] {
  if (ipFamilyOf(text) === undefined) {
    return [invalidValue(field, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];
  }
  if (hasLeadingZeros(text)) return [invalidValue(field, text, "must not have leading 0s")];
  return isMappedIPv4(text) ? [invalidValue(field, text, "must not be an IPv4-mapped IPv6 address")] : [];
}

/** Whether a number of the IPv4 address, or of the one at the end of an IPv6 address, has a zero before it. */
function hasLeadingZeros(address: string): boolean {
  const [numbers = ""] = address.split(":").slice(-1);
  return numbers.includes(".") && numbers.split(".").some((part) => /^0\d/.test(part));
}

/** Whether an IPv6 address stands for an IPv4 one. */
function isMappedIPv4(address: string): boolean {
  const parsed = lenientlyParsed(address);
  return parsed?.family === "IPv6" && parsed.bits >> 32n === 0xffffn;
}

/** The number of an address; 0 if the text is none. */
function ipNumber(address: string): bigint {
  return lenientlyParsed(address)?.bits ?? 0n;
}

function lenientlyParsed(text: string): IpAddress | undefined {
  return parseIpAddress(text, { allowLeadingZeros: true });
}

/** An address that traffic can be sent to. */
export function endpointAddressProblems(text: string, field: string): readonly FieldProblem[] {
  const problems = ipProblems(text, field);
  if (problems.length > 0) return problems;
  const rule = unreachable.find(([pattern]) => pattern.test(text));
  return rule === undefined ? [] : [invalidValue(field, text, rule[1](text))];
}

const unreachable: readonly (readonly [RegExp, (text: string) => string])[] = [
  [/^(0\.0\.0\.0|::|0(:0){7})$/, (text) => `may not be unspecified (${text})`],
  [/^(127\.|::1$)/, () => "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  [/^(169\.254\.|fe[89ab])/i, () => "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  [/^(224\.0\.0\.|ff02:)/i, () => "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
];

/** A range of addresses. */
export interface Cidr {
  readonly family: "IPv4" | "IPv6";
  /** The first address of the range. */
  readonly first: bigint;
  readonly prefixLength: number;
}

const lengths = { IPv4: 32, IPv6: 128 } as const;

/** Undefined if the text is none. Leading zeros and bits beyond the prefix are let through here. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf("/");
  const [address, prefix] = [text.slice(0, slash), text.slice(slash + 1)];
  const family = slash === -1 ? undefined : ipFamilyOf(address);
  if (family === undefined || !/^\d+$/.test(prefix)) return undefined;
  const prefixLength = Number(prefix);
  if (prefixLength > lengths[family]) return undefined;
  return { family, first: firstOf(ipNumber(address), family, prefixLength), prefixLength };
}

export function cidrProblems(text: string, field: string): readonly FieldProblem[] {
  const cidr = parseCidr(text);
  const problem = (detail: string): readonly FieldProblem[] => [invalidValue(field, text, detail)];
  if (cidr === undefined) return problem("must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
  const [address = "", prefix = ""] = text.split("/");
  if (hasLeadingZeros(address) || /^0\d/.test(prefix)) {
    return problem("must not have leading 0s in IP or prefix length");
  }
  if (isMappedIPv4(address)) return problem("must not have an IPv4-mapped IPv6 address");
  return ipNumber(address) === cidr.first ? [] : problem("must not have bits set beyond the prefix length");
}

export function isStrictSubset(inner: Cidr, outer: Cidr): boolean {
  return (
    inner.family === outer.family &&
    inner.prefixLength > outer.prefixLength &&
    firstOf(inner.first, outer.family, outer.prefixLength) === outer.first
  );
}

function firstOf(address: bigint, family: Cidr["family"], prefixLength: number): bigint {
  const rest = BigInt(lengths[family] - prefixLength);
  return (address >> rest) << rest;
}
