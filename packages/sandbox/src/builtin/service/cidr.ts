import { type FieldProblem, invalidValue } from "../../status/field-problem.ts";
import { hasLeadingZeros, ipFamilyOf, ipNumber, isMappedIPv4 } from "./ip-address.ts";

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
