import { isIPv4, isIPv6 } from "../../schema/ip-address.ts";
import { failure } from "./library.ts";

/** An IP address as a value of CEL. */
export class CelIP {
  readonly family: 4 | 6;
  readonly bits: bigint;

  constructor(family: 4 | 6, bits: bigint) {
    this.family = family;
    this.bits = bits;
  }

  toString(): string {
    return this.family === 4 ? textOfIPv4(this.bits) : textOfIPv6(this.bits);
  }
}

/** A range of IP addresses as a value of CEL. */
export class CelCIDR {
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
export function parseIP(text: string): CelIP | undefined {
  if (isIPv4(text)) return new CelIP(4, bitsOfIPv4(text));
  if (!isIPv6(text)) return undefined;
  const bits = bitsOfIPv6(text);
  return bits >> 32n === 0xffffn ? undefined : new CelIP(6, bits);
}

export function parseCIDR(text: string): CelCIDR | undefined {
  const [, address = "", length = ""] = /^(.*)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const ip = parseIP(address);
  if (ip === undefined || Number(length) > (ip.family === 4 ? 32 : 128)) return undefined;
  return new CelCIDR(ip, Number(length));
}

export function ipOf(text: string): CelIP {
  const ip = parseIP(text);
  if (ip === undefined)
    throw failure(
      `IP Address ${JSON.stringify(text)} parse error during conversion from string: ParseAddr(${JSON.stringify(text)}): unable to parse IP`,
    );
  return ip;
}

export function cidrOf(text: string): CelCIDR {
  const cidr = parseCIDR(text);
  if (cidr === undefined) {
    throw failure(
      `network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)}): no '/'`,
    );
  }
  return cidr;
}

function bitsOfIPv4(text: string): bigint {
  return text.split(".").reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function bitsOfIPv6(text: string): bigint {
  const [, before = text, ipv4] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? [];
  const tail = ipv4 === undefined ? "" : bitsOfIPv4(ipv4).toString(16).padStart(8, "0");
  const written = tail === "" ? before : `${before}${tail.slice(0, 4)}:${tail.slice(4)}`;
  const [head = "", rest] = written.split("::");
  const first = head.split(":").filter((part) => part !== "");
  const last = rest === undefined ? [] : rest.split(":").filter((part) => part !== "");
  const zeros = new Array<string>(8 - first.length - last.length).fill("0");
  return [...first, ...zeros, ...last].reduce((bits, part) => (bits << 16n) | BigInt(`0x${part}`), 0n);
}

function textOfIPv4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join(".");
}

/** The longest run of at least two zeros is left out. */
function textOfIPv6(bits: bigint): string {
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((bits >> BigInt(112 - at * 16)) & 0xffffn).toString(16),
  );
  const written = groups.join(":");
  const [longest] = [...written.matchAll(/\b0(?::0)+\b/g)]
    .map(([run]) => run)
    .sort((a, b) => b.length - a.length);
  if (longest === undefined) return written;
  const at = written.search(new RegExp(`\\b${longest}\\b`));
  const [before, after] = [written.slice(0, at), written.slice(at + longest.length)];
  return `${before.replace(/:$/, "")}::${after.replace(/^:/, "")}`;
}
