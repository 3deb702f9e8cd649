import { expect, test } from "vitest";
import { cidrProblems, isStrictSubset, parseCidr } from "./ip-address.ts";

function detailOf(text: string): string | undefined {
  return cidrProblems(text, "f")[0]?.detail;
}

test("ranges of both families are accepted", () => {
  for (const text of ["10.0.0.0/8", "0.0.0.0/0", "2001:db8::/64", "::/0", "1::1/128"]) {
    expect(detailOf(text)).toBeUndefined();
  }
});

test("what is no range is refused", () => {
  for (const text of ["nowhere", "1.2.3.4", "1::/129", "10.0.0.0/33", "10.0.0.0/", "/8", "10.0.0.0/-1"]) {
    expect(detailOf(text)).toBe("must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
  }
});

test("ambiguous ranges are refused", () => {
  expect(detailOf("010.0.0.0/8")).toBe("must not have leading 0s in IP or prefix length");
  expect(detailOf("10.0.0.0/08")).toBe("must not have leading 0s in IP or prefix length");
  expect(detailOf("::ffff:1.2.3.0/120")).toBe("must not have an IPv4-mapped IPv6 address");
  expect(detailOf("10.0.0.1/8")).toBe("must not have bits set beyond the prefix length");
});

test("a strict subset is inside and smaller", () => {
  const isInside = (inner: string, outer: string): boolean | undefined => {
    const [one, other] = [parseCidr(inner), parseCidr(outer)];
    return one && other && isStrictSubset(one, other);
  };
  expect(isInside("10.1.0.0/16", "10.0.0.0/8")).toBe(true);
  expect(isInside("10.0.0.0/8", "10.0.0.0/8")).toBe(false);
  expect(isInside("11.0.0.0/16", "10.0.0.0/8")).toBe(false);
  expect(isInside("::/16", "0.0.0.0/0")).toBe(false);
});
