import { formatIpAddress, parseIpAddress } from "@keelson/core";
import { ExtensionValue } from "../language/cel-values.ts";
import { failure, noSuchOverload } from "../language/evaluation-failure.ts";
import type { Functions } from "../language/function-table.ts";
import { addressProblem, prefixProblem } from "./address-problem.ts";

/** An IP address as a value of CEL. */
export class CelIP extends ExtensionValue {
  readonly typeName = "net.IP";
  readonly family: 4 | 6;
  readonly bits: bigint;

  constructor(family: 4 | 6, bits: bigint) {
    super();
    this.family = family;
    this.bits = bits;
  }

  toString(): string {
    return formatIpAddress({ family: this.family === 4 ? "IPv4" : "IPv6", bits: this.bits });
  }
}

/** A range of IP addresses as a value of CEL. */
export class CelCIDR extends ExtensionValue {
  readonly typeName = "net.CIDR";
  readonly address: CelIP;
  readonly prefixLength: number;

  constructor(address: CelIP, prefixLength: number) {
    super();
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

/** The address, or why the text is none that rules know. */
function parseIP(text: string): CelIP | string {
  const [plain = "", zone] = text.split("%", 2);
  const address = parseIpAddress(plain);
  if (address === undefined || (zone !== undefined && (zone === "" || address.family === "IPv4")))
    return `IP Address ${JSON.stringify(text)} parse error during conversion from string: ${addressProblem(text)}`;
  if (zone !== undefined) return `IP address ${JSON.stringify(text)} with zone value is not allowed`;
  const { family, bits } = address;
  if (family === "IPv4") return new CelIP(4, bits);
  if (bits >> 32n === 0xffffn) return `IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`;
  return new CelIP(6, bits);
}

function parseCIDR(text: string): CelCIDR | string {
  const [, plain = "", length = ""] = /^(.*)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const address = parseIpAddress(plain);
  const problem = "network address parse error during conversion from string:";
  if (address === undefined || Number(length) > (address.family === "IPv4" ? 32 : 128))
    return `${problem} ${problem} ${prefixProblem(text)}`;
  const ip = parseIP(plain);
  if (typeof ip === "string")
    return `${problem} IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`;
  return new CelCIDR(ip, Number(length));
}

function ipOf(text: string): CelIP {
  const ip = parseIP(text);
  if (typeof ip === "string") throw failure(ip);
  return ip;
}

function cidrOf(text: string): CelCIDR {
  const cidr = parseCIDR(text);
  if (typeof cidr === "string") throw failure(cidr);
  return cidr;
}

/** The real server does not say what is wrong with an address here. */
function contained(cidr: CelCIDR, text: string): boolean {
  const ip = parseIP(text);
  if (typeof ip === "string") throw failure(noSuchOverload);
  return cidr.contains(ip);
}

export const network: Functions = [
  ["ip(string): net.IP", ipOf],
  ["isIP(string): bool", (text: string) => typeof parseIP(text) !== "string"],
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
  ["isCIDR(string): bool", (text: string) => typeof parseCIDR(text) !== "string"],
  ["net.CIDR.containsIP(string): bool", contained],
  ["net.CIDR.containsIP(net.IP): bool", (cidr: CelCIDR, ip: CelIP) => cidr.contains(ip)],
  ["net.CIDR.containsCIDR(string): bool", (cidr: CelCIDR, text: string) => containsCIDR(cidr, cidrOf(text))],
  ["net.CIDR.containsCIDR(net.CIDR): bool", containsCIDR],
  ["net.CIDR.ip(): net.IP", ({ address }: CelCIDR) => address],
  ["net.CIDR.masked(): net.CIDR", (cidr: CelCIDR) => new CelCIDR(cidr.network, cidr.prefixLength)],
  ["net.CIDR.prefixLength(): int", ({ prefixLength }: CelCIDR) => BigInt(prefixLength)],
  ["string(net.CIDR): string", String],
  ["ip.isCanonical(string): bool", (text: string) => String(ipOf(text)) === text],
];

const loopback = ["127.0.0.0/8", "::1/128"].map(cidrOf);
const linkLocalMulticast = ["224.0.0.0/24", "ff02::/16"].map(cidrOf);
const linkLocalUnicast = ["169.254.0.0/16", "fe80::/10"].map(cidrOf);
const multicast = ["224.0.0.0/4", "ff00::/8"].map(cidrOf);
const broadcast = ipOf("255.255.255.255");

function isGlobalUnicast(ip: CelIP): boolean {
  if (ip.bits === 0n || String(ip) === String(broadcast)) return false;
  return ![...loopback, ...multicast, ...linkLocalUnicast].some((range) => range.contains(ip));
}

function containsCIDR(outer: CelCIDR, inner: CelCIDR): boolean {
  return outer.contains(inner.address) && outer.prefixLength <= inner.prefixLength;
}
