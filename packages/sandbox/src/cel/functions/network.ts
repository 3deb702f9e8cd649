import { CelCIDR, CelIP, cidrOf, ipOf, parseCIDR, parseIP } from "./ip.ts";
import { type Library, libraryOf, namespaced } from "./library.ts";

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
