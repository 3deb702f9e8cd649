import { parseIpAddress } from "./ip-address.ts";

/** A block of addresses, by its first one and the length of the prefix that they share. */
interface Block {
  readonly bits: bigint;
  readonly prefixLength: number;
}

/** What IANA's registry of IPv4 addresses for special purposes keeps from the internet, multicast, and Azure's metadata. */
const notPublicIpv4 = blocks([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
]);

/** Outside of this no IPv6 address is of the internet: loopback, link-local, unique-local and multicast addresses. */
const globalUnicast = blocks(["2000::/3"]);

/** Parts of it that are for other purposes. */
const notPublicIpv6 = blocks(["2001::/23", "2001:db8::/32", "3fff::/20"]);

/** IPv6 addresses that stand for an IPv4 address, and how far right in them it is. */
const embeddings = [
  { blocks: blocks(["::ffff:0:0/96", "64:ff9b::/96"]), shift: 0n },
  { blocks: blocks(["2002::/16"]), shift: 80n },
] as const;

/**
 * Whether an IP address is one of the internet: not of this machine, a private network, a link, a metadata service or a
 * group. False for what is no address. An IPv6 address that embeds an IPv4 address is as public as that.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseIpAddress(text);
  if (address === undefined) return false;
  return address.family === "IPv4" ? isPublicIpv4(address.bits) : isPublicIpv6(address.bits);
}

function isPublicIpv4(bits: bigint): boolean {
  return !isIn(bits, notPublicIpv4, 32);
}

function isPublicIpv6(bits: bigint): boolean {
  const embedding = embeddings.find((each) => isIn(bits, each.blocks, 128));
  if (embedding !== undefined) return isPublicIpv4((bits >> embedding.shift) & 0xffff_ffffn);
  return isIn(bits, globalUnicast, 128) && !isIn(bits, notPublicIpv6, 128);
}

function isIn(bits: bigint, list: readonly Block[], length: number): boolean {
  return list.some(({ bits: first, prefixLength }) => {
    const rest = BigInt(length - prefixLength);
    return bits >> rest === first >> rest;
  });
}

function blocks(texts: readonly string[]): readonly Block[] {
  return texts.map((text) => {
    const [address = "", prefixLength] = text.split("/");
    const parsed = parseIpAddress(address);
    if (parsed === undefined) throw new RangeError(`${text} is no block of addresses`);
    return { bits: parsed.bits, prefixLength: Number(prefixLength) };
  });
}
