import { formatIpAddress, parseIpAddress } from "@keelson/core";
import { failure, type Library, libraryOf, namespaced } from "./library.ts";

/** An IP address as a value of CEL. */
class CelIP {
  readonly family: 4 | 6;
  readonly bits: bigint;

  constructor(family: 4 | 6, bits: bigint) {
    this.family = family;
    this.bits = bits;
  }

  toString(): string {
    return formatIpAddress({ family: this.family === 4 ? "IPv4" : "IPv6", bits: this.bits });
  }
}

/** A range of IP addresses as a value of CEL. */
class CelCIDR {
  readonly address: CelIP;
  readonly prefixLength: number;

  constructor(address: CelIP, prefixLength: number) {
    this.address = address;
    this.prefixLength = prefixLength;
  }

  /** The first address of the range. */
  get network(): CelIP {
    const { family, bits } = this.address;
    const free = BigInt((family === 4 ? 32 : 128) - this.prefixLength);
    return new CelIP(family, (bits >> free) << free);
  }

  contains({ family, bits }: CelIP): boolean {
    if (family !== this.address.family) return false;
    const free = BigInt((family === 4 ? 32 : 128) - this.prefixLength);
    return bits >> free === this.address.bits >> free;
  }

  toString(): string {
    return `${this.address}/${this.prefixLength}`;
  }
}

/** Undefined for what is no address; IPv4 addresses in the form of IPv6 are none. */
function parseIP(text: string): CelIP | undefined {
  const address = parseIpAddress(text);
  if (address === undefined) return undefined;
  const { family, bits } = address;
  if (family === "IPv4") return new CelIP(4, bits);
  return bits >> 32n === 0xffffn ? undefined : new CelIP(6, bits);
}

function parseCIDR(text: string): CelCIDR | undefined {
  const [, address = "", length = ""] = /^(.*)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const ip = parseIP(address);
  if (ip === undefined || Number(length) > (ip.family === 4 ? 32 : 128)) return undefined;
  return new CelCIDR(ip, Number(length));
}

function ipOf(text: string): CelIP {
  const ip = parseIP(text);
  if (ip === undefined)
    throw failure(
      `IP Address ${JSON.stringify(text)} parse error during conversion from string: ParseAddr(${JSON.stringify(text)}): unable to parse IP`,
    );
  return ip;
}

function cidrOf(text: string): CelCIDR {
  const cidr = parseCIDR(text);
  if (cidr === undefined) {
    throw failure(
      `network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)}): no '/'`,
    );
  }
  return cidr;
}

const functions = libraryOf([
  ["ip(string): net.IP", ipOf],
  ["isIP(string): bool", (text: string) => parseIP(text) !== undefined],
  ["net.IP.family(): int", (ip: CelIP) => BigInt(ip.family)],
  ["net.IP.isUnspecified(): bool", ({ bits }: CelIP) => bits === 0n],
  ["net.IP.isLoopback(): bool", (ip: CelIP) => loopback.some((range) => range.contains(ip))],
  [
    "net.IP.isLinkLocalMulticast(): bool",
    (ip: CelIP) => linkLocalMulticast.some((range) => range.contains(ip)),
  ],
  ["net.IP.isLinkLocalUnicast(): bool", (ip: CelIP) => linkLocalUnicast.some((range) => range.contains(ip))],
  ["net.IP.isGlobalUnicast(): bool", isGlobalUnicast],
  ["string(net.IP): string", String],
  ["cidr(string): net.CIDR", cidrOf],
  ["isCIDR(string): bool", (text: string) => parseCIDR(text) !== undefined],
  ["net.CIDR.containsIP(string): bool", (cidr: CelCIDR, text: string) => cidr.contains(ipOf(text))],
  ["net.CIDR.containsIP(net.IP): bool", (cidr: CelCIDR, ip: CelIP) => cidr.contains(ip)],
  ["net.CIDR.containsCIDR(string): bool", (cidr: CelCIDR, text: string) => containsCIDR(cidr, cidrOf(text))],
  ["net.CIDR.containsCIDR(net.CIDR): bool", containsCIDR],
  ["net.CIDR.ip(): net.IP", ({ address }: CelCIDR) => address],
  ["net.CIDR.masked(): net.CIDR", (cidr: CelCIDR) => new CelCIDR(cidr.network, cidr.prefixLength)],
  ["net.CIDR.prefixLength(): int", ({ prefixLength }: CelCIDR) => BigInt(prefixLength)],
  ["string(net.CIDR): string", String],
]);

const canonical = namespaced("ip", "IpNamespace", [
  ["isCanonical(string): bool", (text: string) => String(ipOf(text)) === text],
]);

export const networkLibrary: Library = (environment) => {
  environment.registerType("net.IP", { ctor: CelIP, fields: {} });
  environment.registerType("net.CIDR", { ctor: CelCIDR, fields: {} });
  environment.registerOperator("net.IP == net.IP", isSameText);
  environment.registerOperator("net.CIDR == net.CIDR", isSameText);
  functions(environment);
  canonical(environment);
};

const loopback = ["127.0.0.0/8", "::1/128"].map(cidrOf);
const linkLocalMulticast = ["224.0.0.0/24", "ff02::/16"].map(cidrOf);
const linkLocalUnicast = ["169.254.0.0/16", "fe80::/10"].map(cidrOf);
const multicast = ["224.0.0.0/4", "ff00::/8"].map(cidrOf);
const broadcast = ipOf("255.255.255.255");

function isGlobalUnicast(ip: CelIP): boolean {
  if (ip.bits === 0n || isSameText(ip, broadcast)) return false;
  return ![...loopback, ...multicast, ...linkLocalUnicast].some((range) => range.contains(ip));
}

function containsCIDR(outer: CelCIDR, inner: CelCIDR): boolean {
  return outer.contains(inner.address) && outer.prefixLength <= inner.prefixLength;
}

function isSameText(a: object, b: object): boolean {
  return String(a) === String(b);
}
