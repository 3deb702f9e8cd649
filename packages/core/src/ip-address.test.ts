import { isIPv4, isIPv6 } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatIpAddress, parseIpAddress } from "./ip-address.ts";

describe("an IP address", () => {
  it.each([
    ["0.0.0.0", "IPv4", 0n],
    ["10.9.8.7", "IPv4", 0x0a090807n],
    ["::", "IPv6", 0n],
    ["2001:DB8::ff", "IPv6", 0x20010db80000000000000000000000ffn],
    ["::ffff:1.2.3.4", "IPv6", 0xffff01020304n],
    ["1:2:3:4:5:6:7::", "IPv6", 0x00010002000300040005000600070000n],
    ["1:2:3:4:5:6:1.2.3.4", "IPv6", 0x00010002000300040005000601020304n],
  ])("is read from %s", (text, family, bits) => {
    expect(parseIpAddress(text)).toEqual({ family, bits });
  });

  it.each([
    "",
    "1.2.3",
    "1.2.3.256",
    "1.2.3.4.5",
    "01.2.3.4",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8::",
    "1.2.3.4::",
    "::1.2.3",
    "fe80::1%eth0",
    "12345::",
    "web",
  ])("is not read from %j", (text) => {
    expect(parseIpAddress(text)).toBeUndefined();
  });

  it("may have leading zeros where that is allowed", () => {
    expect(parseIpAddress("010.9.8.007", { allowLeadingZeros: true })).toEqual(parseIpAddress("10.9.8.7"));
    expect(parseIpAddress("::01.2.3.4", { allowLeadingZeros: true })).toEqual(parseIpAddress("::1.2.3.4"));
  });

  it.each([
    ["2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["0:0:0:0:0:0:0:0", "::"],
    ["1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"],
    ["::ffff:1.2.3.4", "::ffff:102:304"],
  ])("%s is written as %s", (text, shortest) => {
    const address = parseIpAddress(text);
    expect(address && formatIpAddress(address)).toBe(shortest);
  });

  it("is the same after it was written and read", () => {
    const address = fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }).map((bits) => ({ family: "IPv4", bits }) as const),
      fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }).map((bits) => ({ family: "IPv6", bits }) as const),
    );
    fc.assert(
      fc.property(address, (made) => {
        expect(parseIpAddress(formatIpAddress(made))).toEqual(made);
      }),
    );
  });

  it("is read from a text exactly if Node.js takes it for one", () => {
    const text = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.string({ unit: fc.constantFrom("0", "1", "9", "f", ":", "::", ".") }),
    );
    fc.assert(
      fc.property(text, (written) => {
        expect(parseIpAddress(written)?.family === "IPv4").toBe(isIPv4(written));
        expect(parseIpAddress(written)?.family === "IPv6").toBe(isIPv6(written));
      }),
    );
  });
});
