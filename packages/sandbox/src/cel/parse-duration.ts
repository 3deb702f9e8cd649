const nanosecondsPer: Readonly<Record<string, bigint>> = {
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  µs: 1_000n,
  ns: 1n,
};

/** Nanoseconds of a duration as Go writes it, such as `1h30m` or `-1.5s`; undefined for other texts. */
export function parseDuration(text: string): bigint | undefined {
  const [, sign, rest = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (rest === "0") return 0n;
  if (!/^((\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h))+$/.test(rest)) return undefined;
  let total = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of rest.matchAll(/(\d*)\.?(\d*)(ns|us|µs|ms|s|m|h)/g)) {
    const nanoseconds = nanosecondsPer[unit] ?? 0n;
    const part = fraction.slice(0, 13);
    total += BigInt(whole === "" ? "0" : whole) * nanoseconds;
    if (part !== "") total += (BigInt(part) * nanoseconds) / 10n ** BigInt(part.length);
  }
  return sign === "-" ? -total : total;
}
