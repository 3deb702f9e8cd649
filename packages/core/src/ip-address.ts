/** An IP address: its family, and its value as a number of 32 or 128 bits. */
export interface IpAddress {
  readonly family: "IPv4" | "IPv6";
  readonly bits: bigint;
}

export interface ParseIpAddressOptions {
  /** Whether the decimal numbers of an IPv4 address may begin with zeros, as Kubernetes once allowed. Default: false. */
  readonly allowLeadingZeros?: boolean;
}

/**
 * The address that the text writes; undefined if it writes none. An IPv6 address may be shortened by `::` once and may
 * end in an IPv4 address; it has no zone.
 */
export function parseIpAddress(text: string, options: ParseIpAddressOptions = {}): IpAddress | undefined {
  const family = text.includes(":") ? "IPv6" : "IPv4";
  const bits = family === "IPv6" ? parseIpv6(text, options) : parseIpv4(text, options);
  return bits === undefined ? undefined : { family, bits };
}

/** The shortest text of the address: of an IPv6 address, the longest run of at least two zeros is left out. */
export function formatIpAddress({ family, bits }: IpAddress): string {
  return family === "IPv4" ? formatIpv4(bits) : formatIpv6(bits);
}

function parseIpv4(text: string, { allowLeadingZeros = false }: ParseIpAddressOptions): bigint | undefined {
  const number = allowLeadingZeros ? /^\d{1,3}$/ : /^(0|[1-9]\d{0,2})$/;
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => number.test(part) && Number(part) <= 255))
    return undefined;
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function parseIpv6(text: string, options: ParseIpAddressOptions): bigint | undefined {
  const [head = "", tail, ...more] = text.split("::");
  if (more.length > 0) return undefined;
  const isShortened = tail !== undefined;
  const first = groupsOf(head, !isShortened, options);
  const last = groupsOf(tail ?? "", true, options);
  if (first === undefined || last === undefined) return undefined;
  const missing = 8 - first.length - last.length;
  if (isShortened ? missing < 1 : missing !== 0) return undefined;
  const zeros = Array.from({ length: missing }, () => 0n);
  return [...first, ...zeros, ...last].reduce((bits, group) => (bits << 16n) | group, 0n);
}

/** The groups of 16 bits between two colons; an IPv4 address at the end is two of them. */
function groupsOf(
  text: string,
  mayEndInIpv4: boolean,
  options: ParseIpAddressOptions,
): readonly bigint[] | undefined {
  if (text === "") return [];
  const groups: bigint[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const ipv4 = mayEndInIpv4 && isLast ? parseIpv4(part, options) : undefined;
    if (ipv4 !== undefined) groups.push(ipv4 >> 16n, ipv4 & 0xffffn);
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}

function formatIpv4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join(".");
}

function formatIpv6(bits: bigint): string {
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
