/** A count, or a share of a total (`25%`), as a count. What is neither counts as 0. */
export function scaledCount(value: number | string | undefined, total: number, round: "up" | "down"): number {
  if (value === undefined) return 0;
  if (typeof value === "number") return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  if (percent === undefined) return 0;
  const share = (Number(percent) * total) / 100;
  return round === "up" ? Math.ceil(share) : Math.floor(share);
}

/** The counts that are not 0; the server omits a count of 0. */
export function nonZero<Name extends string>(
  counts: Readonly<Record<Name, number | undefined>>,
): { readonly [Each in Name]?: number } {
  const shown: { [Each in Name]?: number } = {};
  for (const name in counts) {
    const count = counts[name];
    if (count !== undefined && count !== 0) shown[name] = count;
  }
  return shown;
}
